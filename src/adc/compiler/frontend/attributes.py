"""The attributes of an object as a dict: `owner.__dict__` and `vars(owner)`.

A dict of its own would go its own way. `rules/python_containers.py` says what is asked of it; each time, the object is.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import cached_properties, instances
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.values import Value
from adc.rules import python_containers

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _vars(self: Calls, owner: Value) -> Value:
    return self.attribute(owner, "__dict__")


def _all_of(self: Calls, owner: Instance) -> Value:
    if any(map(cached_properties.on_some_paths, owner.values())):
        raise cached_properties.unknown(self, owner)
    return dict(owner)


def _keep(self: Calls, owner: Instance, name: Value, value: Value) -> None:
    if not isinstance(name, str):
        raise self.refuse("the name of an attribute is not known", repair="use a constant")
    instances.refuse_write(self, owner, name, value)
    owner[name] = self.named_value(value, name)


def _drop(self: Calls, owner: Instance, name: Value) -> None:
    instances.refuse_write(self, owner, name, None)
    del owner[name]


def _delete(self: Calls, owner: Value, name: Value) -> None:
    """`del owner.name`."""
    instances.delete(self, *_own(self, owner, name))


def _delete_plainly(self: Calls, owner: Value, name: Value) -> None:
    instances.delete_of_object(self, *_own(self, owner, name))


def _own(self: Calls, owner: Value, name: Value) -> tuple[Instance, str]:
    if not isinstance(owner, Instance) or not isinstance(name, str):
        raise self.refuse(
            "an attribute is deleted of what is no object of the function",
            "what the function leaves behind is not part of its derivative",
            "keep what is needed in a name of its own",
        )
    return owner, name


TABLE: dict[Any, Callable[..., Value]] = {
    builtins.vars: _vars,
    builtins.delattr: _delete,
    object.__delattr__: _delete_plainly,
    python_containers.attributes_of: _all_of,
    python_containers.keep_attribute: _keep,
    python_containers.drop_attribute: _drop,
}
