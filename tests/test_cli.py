"""The command line shows, explains, checks and times a function of a file; its errors help."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adc import cli

MODEL = """
import numpy as np
import adc

SCALE = 2.0

def loss(w, x):
    return SCALE * np.sum((x @ w) ** 2)

@adc.grad
def decorated(x):
    return np.sum(np.sin(x))

class Box:
    volume = 3.0
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "box_model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "box_model", raising=False)
    return "box_model.py"


def run(*arguments: str) -> int:
    return cli.main(arguments)


def test_show(model, capsys):
    assert run("show", f"{model}:loss", "--args", "np.ones(2), np.eye(2)") == 0
    text = capsys.readouterr().out
    assert "def loss_grad(w, x, SCALE):" in text
    assert '"""Gradient of box_model.loss with respect to w.' in text and "# box_model.py:8: return" in text


def test_show_stages_transforms_and_argnums(model, capsys):
    arguments = ["show", f"{model}:loss", "--args", "w=np.ones(2), x=np.eye(2)"]
    assert run(*arguments, "--stage", "ir") == 0
    assert "def loss_grad(w: float64[" in capsys.readouterr().out
    assert run(*arguments, "--transform", "value_and_grad", "--argnums", "w,x", "--stage", "optimized") == 0
    assert "Value and gradient of box_model.loss with respect to w and x." in capsys.readouterr().out


@pytest.mark.parametrize("transform", ["hessian", "jacfwd", "jacrev", "jacobian"])
def test_show_and_explain_other_transforms(model, capsys, transform):
    arguments = [f"{model}:loss", "--args", "np.ones(2), np.eye(2)", "--transform", transform]
    assert run("show", *arguments) == 0 and run("explain", *arguments) == 0
    assert "def loss_" in capsys.readouterr().out


def test_a_module_and_a_derivative(model, capsys):
    assert run("show", "box_model:decorated", "--args", "np.ones(3)") == 0
    assert "x_bar" in capsys.readouterr().out


def test_explain(model, capsys):
    assert run("explain", f"{model}:loss", "--args", "np.ones(2), np.eye(2)") == 0
    assert "box_model.py:8: return SCALE * np.sum((x @ w) ** 2)" in capsys.readouterr().out


def test_check(model, capsys):
    assert run("check", f"{model}:loss", "--args", "np.ones(2), np.eye(2)", "--argnums", "0,1") == 0
    assert capsys.readouterr().out.startswith("right: ")


def test_check_says_wrong(model, capsys, monkeypatch):
    from adc.testing import check

    def wrong(*args, **kwargs):
        raise AssertionError("the gradient of w is off by 2")

    monkeypatch.setattr(check, "check_grads", wrong)
    assert run("check", f"{model}:loss", "--args", "np.ones(2), np.eye(2)") == 1
    assert capsys.readouterr().out == "wrong: the gradient of w is off by 2\n"


def test_bench(model, capsys):
    assert run("bench", f"{model}:loss", "--args", "np.ones(2), np.eye(2)", "--seconds", "0.01") == 0
    text = capsys.readouterr().out
    assert "value and gradient" in text and "x the primal" in text and "mode: compiled" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "box_model.py:los"], "did you mean `loss`?"),
        (["show", "box_model.py:zzz"], "there are: loss, decorated, Box"),
        (["show", "box_model.py:Box.volume"], "is not a function but float"),
        (["show", "other.py:loss"], "there is no file `other.py`"),
        (["show", "other:loss"], "there is no module `other` (a file is given as `other.py`)"),
        (["show", "box_model.py"], "write FILE.py:FUNCTION or MODULE:FUNCTION"),
        (["show", "box_model.py:loss", "--args", "np.ones(2)"], "does not fit loss(w, x): TypeError"),
        (["show", "box_model.py:loss", "--args", "np.one(2), 1"], "AttributeError"),
        (
            ["show", "box_model.py:loss", "--args", "np.ones(2), np.eye(2)", "--stage", "optimised"],
            "did you mean `optimized`?",
        ),
    ],
)
def test_what_is_wrong_with_a_command_line(model, capsys, arguments, message):
    assert run(*arguments) == 2
    assert message in capsys.readouterr().err


def test_a_refusal_is_1(model, capsys):
    assert run("show", f"{model}:loss", "--args", "np.array([1, 2]), np.eye(2)") == 1
    assert "has the dtype int64" in capsys.readouterr().err


def test_cache(model, capsys, monkeypatch, tmp_path):
    from dataclasses import replace

    from adc import config

    settings = replace(config.current(), cache_dir=tmp_path / "cache")
    monkeypatch.setattr(config, "current", lambda: settings)
    assert run("cache", "info") == 0
    assert "0 generated programs" in capsys.readouterr().out
    folder = tmp_path / "cache" / "generated"
    folder.mkdir(parents=True)
    (folder / "loss_grad_0.py").write_text("def loss_grad(): pass\n")
    assert run("cache", "clear") == 0
    assert "1 generated programs" in capsys.readouterr().out and not folder.exists()


def test_help_has_examples(capsys):
    assert run("--help") == 0 and run("show", "--help") == 0
    assert capsys.readouterr().out.count("adc show model.py:loss") == 6
    assert run() == 2


def test_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "adc", "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(cli.__file__).parents[1])},
    )
    assert done.stdout.startswith("adc ")
