"""A long function that only calls others gets less of LLVM's passes, and computes the same, also from disk."""

import subprocess
import sys

import pytest
from numba.core import codegen

from adc.runtime.passes import straight, taken_in
from adc.runtime.passes.known import is_known

PROGRAM = """
import sys
import numba
import numpy as np
from numba.core import codegen
from adc import runtime as rt
from adc.runtime.tuning import tuned

taken = []
own = codegen.CPUCodeLibrary._finalize_final_module

def finalize(self):
    if getattr(self, "straight", False):
        taken.append(self.name)
    own(self)

codegen.CPUCodeLibrary._finalize_final_module = finalize

@rt.kernel
def add(n, x, out):
    for i in range(n):
        out[i] = x[i] + 1.0

def text(body):
    rows = [f"    y = rt.empty(x.shape[0])\\n    add(x.shape[0], x, y)\\n    x = y[{k % 2}:]\\n" for k in range(120)]
    return "def run(x):\\n" + "".join(rows) + body

space = {"rt": rt, "add": add, "np": np}
for body in (
    "    if x.shape[0] != 40:\\n        raise ValueError('other lengths')\\n    return x\\n",
    "    for _ in range(x.shape[0]):\\n        add(x.shape[0], x, x)\\n    return x\\n",
    "    for k in range(x.shape[0]):\\n        x[k] = k\\n    return x\\n",
    "    s = x[0]\\n" + "    s = s * x[1] + s / x[2]\\n" * 300 + "    return s\\n",
):
    exec(text(body), space)
    run = numba.njit(error_model="numpy")(space["run"])
    x = np.arange(100.0)
    with tuned(space["run"]):
        found = run(x)
    if "raise" in body:
        assert np.array_equal(found, np.arange(180.0, 220.0)), found
        try:
            run(np.ones(80))
            raise SystemExit("nothing was raised")
        except ValueError as error:
            assert "other lengths" in str(error)
print(taken)
"""


def test_which_functions_they_are(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    told = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "['run', 'run']"


@pytest.mark.parametrize(
    ("body", "straight_on"),
    [
        ("entry:\n  br i1 %x, label %b, label %a\nb:\n  br label %a\na:\n  ret void", True),
        ("entry:\n  br label %b\na:\n  ret void\nb:\n  br label %a", True),
        (
            "entry:\n  br label %b\na:\n  br label %b\nb:\n  br i1 %x, label %a, label %c\nc:\n  ret void",
            False,
        ),
        (
            "entry:\n  br label %b\nb:\n  %0 = call i32 %f(i64 1)\n  br i1 %x, label %b, label %c\nc:\n  ret void",
            True,
        ),
        (
            "entry:\n  br label %b\nb:\n  call void @g()\n  br i1 %x, label %b, label %c\nc:\n  ret void",
            False,
        ),
        ('  br label %"a b"\n"a b":\n  br label %"a b"', False),
        ("entry:\n  %y = fadd double %x, %x\n  ret void", False),
    ],
)
def test_functions_that_go_back_or_compute(body, straight_on):
    assert straight.only_calls(f"define void @f(i1 %x) {{\n{body}\n}}\n") == straight_on


def test_it_stands_for_texts_that_were_read():
    for name, texts in (("optimize", straight.OPTIMISED), ("finalize", straight.FINISHED)):
        mine = getattr(codegen.CPUCodeLibrary, f"_{name}_final_module")
        if name == "finalize":  # which waits in front of it
            assert mine.__module__ == taken_in.__name__
            mine = mine.__closure__[0].cell_contents
        assert mine.__module__ == straight.__name__
        assert is_known(mine.__closure__[0].cell_contents, texts)
