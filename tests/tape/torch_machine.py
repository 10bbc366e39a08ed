"""A machine for programs about gradients, on adc's tape or on PyTorch: its actions, and random programs."""

import contextlib
import warnings

import numpy as np

import adc

SHAPES = [(3,), (2, 3), (3, 2), (2, 3)]
VIEWS = {
    "tail": lambda t: t[1:],
    "head": lambda t: t[:1],
    "step": lambda t: t[::2],
    "column": lambda t: t[..., 1:2],
    "flat": lambda t: t.reshape(-1),
    "turned": lambda t: t.T if t.ndim == 2 else t.reshape(tuple(t.shape)),
    "newaxis": lambda t: t[None],
    "row": lambda t: t[0] if t.ndim > 1 else t[:2],
}
UNARY = {
    "sin": lambda t: t.sin(),
    "tanh": lambda t: t.tanh(),
    "square": lambda t: t * t,
    "half": lambda t: t * 0.5,
    "shift": lambda t: t + 1.0,
    "negative": lambda t: -t,
    "clone": lambda t: t.clone(),
    "total": lambda t: t.sum(),
    "mean": lambda t: t.mean(),
    "columns": lambda t: t.sum(0),
    "exp": lambda t: (t * 0.1).exp(),
}
WRITES = {
    "add_": lambda t, b: t.add_(b),
    "mul_": lambda t, b: t.mul_(b),
    "sub_": lambda t, b: t.sub_(b),
    "copy_": lambda t, b: t.copy_(b),
    "zero_": lambda t, b: t.zero_(),
    "fill_": lambda t, b: t.fill_(0.5),
    "sin_": lambda t, b: t.sin_(),
    "item": lambda t, b: t.__setitem__(slice(1, None), b[1:]),
    "whole": lambda t, b: t.__setitem__(Ellipsis, b),
    "number": lambda t, b: t.__setitem__(slice(None, 1), 2.0),
}


class Machine:
    """One library, the Tensors that a program has made, and what its hooks saw."""

    def __init__(self, library):
        self.lib = library
        self.autograd = library.autograd
        self.tensors = []
        self.seen = []
        self.handles = []
        self.gradients = []  # those Tensors that `grad` returned
        self.scaled = set()  # the numbers of those with hooks that change the gradient
        self.went_on = False  # a pass ran the pull of an input, which only PyTorch does

    def make(self, values, requires_grad):
        return self.lib.tensor(values, requires_grad=requires_grad)

    def constant(self, values):
        return self.make(np.asarray(values), False)

    def hook(self, name, factor):
        def seen(gradient):
            self.seen.append((name, np.array(gradient.detach().numpy())))
            return None if factor is None else gradient * factor

        return seen

    def after(self, name):
        def seen(leaf):
            self.seen.append((name, None if leaf.grad is None else np.array(leaf.grad.detach().numpy())))

        return seen

    def run(self, action):
        """What happened: the class of the error, or None."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                getattr(self, action[0])(*action[1:])
        except Exception as error:
            if isinstance(error, adc.InternalError):
                raise
            return error
        return None

    # The actions. -------------------------------------------------------------------------------------------

    def leaf(self, values, requires_grad):
        self.tensors.append(self.make(values, requires_grad))

    def unary(self, name, k):
        self.tensors.append(UNARY[name](self.tensors[k]))

    def view(self, name, k):
        self.tensors.append(VIEWS[name](self.tensors[k]))

    def binary(self, name, k, j):
        x, y = self.tensors[k], self.tensors[j]
        self.tensors.append(x * y if name == "mul" else x + y if name == "add" else x - 2.0 * y)

    def write(self, name, k, j, recorded=True):
        with contextlib.nullcontext() if recorded else self.lib.no_grad():
            WRITES[name](self.tensors[k], self.tensors[j])

    def operator(self, name, k, number):
        x = self.tensors[k]
        if name == "+":
            x += number
        else:
            x *= number

    def detach(self, k):
        self.tensors.append(self.tensors[k].detach())

    def detach_(self, k):
        self.tensors[k].detach_()

    def require(self, k, flag):
        self.tensors[k].requires_grad_(flag)

    def retain(self, k):
        self.tensors[k].retain_grad()

    def listen(self, k, factor):
        if factor is not None:
            self.scaled.add(k)
        self.handles.append(self.tensors[k].register_hook(self.hook(f"{k}/{len(self.handles)}", factor)))

    def listen_after(self, k):
        handle = self.tensors[k].register_post_accumulate_grad_hook(self.after(f"{k}/{len(self.handles)}"))
        self.handles.append(handle)

    def silence(self, k):
        if self.handles:
            self.handles[k % len(self.handles)].remove()

    def forget(self, k, by):
        x = self.tensors[k]
        if by == "None":
            x.grad = None
        elif x.grad is not None:
            x.grad.zero_()

    def backward(self, k, bar, keep, create, inputs):
        gradient = None if bar is None else self.constant(bar)
        chosen = None if inputs is None else [self.tensors[i] for i in inputs]
        self.went_on |= inputs is not None and not all(x.is_leaf for x in chosen)
        self.tensors[k].backward(gradient, retain_graph=keep, create_graph=create, inputs=chosen)

    def ones_backward(self, k, keep, create, inputs):
        self.backward(k, np.ones(tuple(self.tensors[k].shape)), keep, create, inputs)

    def grad(self, k, inputs, keep, create, unused):
        y = self.tensors[k].sum()
        found = self.autograd.grad(
            y, [self.tensors[i] for i in inputs], retain_graph=keep, create_graph=create, allow_unused=unused
        )
        for g in found:
            self.seen.append(("grad", None if g is None else np.array(g.detach().numpy())))
            if create and g is not None:
                self.gradients.append(g)
                self.tensors.append(g)

    def in_memory_of(self, x):
        """The other Tensors that share memory with one."""
        array = x.detach().numpy()
        return [y for y in self.tensors if y is not x and np.shares_memory(array, y.detach().numpy())]

    # What can be seen. --------------------------------------------------------------------------------------

    def sight(self):
        rows = []
        for t in self.tensors:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gradient = t.grad
            rows.append(
                {
                    "value": t.detach().numpy(),
                    "requires_grad": t.requires_grad,
                    "is_leaf": t.is_leaf,
                    "retains_grad": t.retains_grad,
                    "grad": None if gradient is None else gradient.detach().numpy(),
                    "grad_requires_grad": gradient is not None and gradient.requires_grad,
                }
            )
        return rows


def program(seed, length, machine):
    """Actions at random on the Tensors that a machine has by then; what is legal is for the libraries to say."""
    r = np.random.default_rng(seed)

    def pick():
        count = len(machine.tensors)
        # What came last is likelier: chains get long, and leaves are not always written to.
        if r.random() < 0.7:
            return int(count - min(r.geometric(0.35), count))
        return int(r.integers(count))

    def some():
        return [pick() for _ in range(r.integers(1, 3))]

    def choice(options, p=None):
        return options[r.choice(len(options), p=p)]

    for _ in range(2):
        yield "leaf", r.normal(size=choice(SHAPES)), True
    kinds = {
        "unary": 5, "binary": 5, "view": 4, "write": 5, "operator": 2, "detach": 1, "detach_": 0.4, "require": 0.6,
        "retain": 1.5, "listen": 2, "listen_after": 0.5, "silence": 0.4, "forget": 0.8, "backward": 0.6,
        "ones_backward": 3, "grad": 1.5, "leaf": 0.7,
    }  # fmt: skip
    weights = np.array(list(kinds.values())) / sum(kinds.values())
    for _ in range(length):
        kind = choice(list(kinds), weights)
        if kind == "leaf":
            yield "leaf", r.normal(size=choice(SHAPES)), bool(r.random() < 0.6)
        elif kind == "unary":
            yield "unary", choice(list(UNARY)), pick()
        elif kind == "view":
            yield "view", choice(list(VIEWS)), pick()
        elif kind == "binary":
            yield "binary", choice(["mul", "add", "sub"]), pick(), pick()
        elif kind == "write":
            yield "write", choice(list(WRITES)), pick(), pick(), bool(r.random() < 0.75)
        elif kind == "operator":
            yield "operator", choice(["+", "*"]), pick(), 1.5
        elif kind in ("detach", "detach_", "retain", "listen_after"):
            yield kind, pick()
        elif kind == "require":
            yield kind, pick(), bool(r.random() < 0.7)
        elif kind == "listen":
            yield kind, pick(), choice([None, None, 2.0])
        elif kind == "silence":
            yield kind, int(r.integers(10))
        elif kind == "forget":
            yield kind, pick(), choice(["None", "zero"])
        elif kind == "backward":
            bar = choice([None, np.ones(3), np.ones((2, 3)), np.array(1.0)])
            yield kind, pick(), bar, choice([None, True]), False, None
        elif kind == "ones_backward":
            inputs = some() if r.random() < 0.2 else None
            yield kind, pick(), choice([None, True, True]), bool(r.random() < 0.15), inputs
        elif kind == "grad":
            yield kind, pick(), some(), choice([None, True]), bool(r.random() < 0.3), choice([None, True])
