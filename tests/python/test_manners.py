"""Memory, types, documentation, and another torch."""
import gc
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import moblo
import pytest
import torch
from problems import Synthetic

PACKAGE = pathlib.Path(moblo.__file__).parent


def resident_megabytes():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024


def test_ten_thousand_problems_leave_nothing_behind():
    def some(count):
        for _ in range(count):
            moblo.Solver(Synthetic(), moblo.Forum(inner_steps=1)).step()
        moblo.train(Synthetic(), "forum", iterations=1)
        gc.collect()

    some(500)
    before, tensors = resident_megabytes(), sum(isinstance(each, torch.Tensor) for each in gc.get_objects())
    some(9500)
    assert sum(isinstance(each, torch.Tensor) for each in gc.get_objects()) <= tensors + 5
    assert resident_megabytes() - before < 10


def test_stubs_are_those_of_the_catalogue(root):
    told = subprocess.run([sys.executable, root / "tools/python_stubs", PACKAGE.parent, "--check"], capture_output=True,
                          text=True)
    assert told.returncode == 0, told.stdout + told.stderr


def test_another_torch_is_refused_in_words(tmp_path):
    script = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n" \
             "import torch; torch.__version__ = '9.9.9'\nimport moblo"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert told.returncode == 1 and "was built with torch" in told.stderr and "9.9.9" in told.stderr


def public():
    return {name: each for name, each in vars(moblo).items() if not name.startswith("_") and not inspect.ismodule(each)}


def test_everything_public_has_a_docstring():
    missing = [name for name, each in public().items() if not (getattr(each, "__doc__", "") or "").strip()]
    assert missing == []


def test_signatures_show_the_options():
    parameters = inspect.signature(moblo.Forum.__init__).parameters
    assert parameters["inner_steps"].default == 16 and "rho" in parameters


def test_errors_are_of_the_usual_kinds():
    assert issubclass(moblo.OptionError, ValueError) and issubclass(moblo.NumericError, RuntimeError)
    assert all(issubclass(each, moblo.Error) for each in (moblo.UsageError, moblo.DataError, moblo.ProblemError,
                                                          moblo.CheckpointError, moblo.FileError))


def test_an_unwritable_folder_is_told(tmp_path):
    (tmp_path / "file").write_text("here already")
    with pytest.raises(moblo.Error, match="file"):
        moblo.train(Synthetic(), iterations=2, folder=tmp_path / "file")


def test_a_folder_of_another_run_is_refused(tmp_path):
    moblo.train(Synthetic(), moblo.Forum(rho=0.5), iterations=5, folder=tmp_path / "run")
    with pytest.raises(moblo.CheckpointError, match="rho = 0.5, not 0.3"):
        moblo.train(Synthetic(), moblo.Forum(rho=0.3), iterations=5, folder=tmp_path / "run")


def test_the_package_reloads_nothing():
    assert importlib.import_module("moblo") is moblo and moblo.__version__ == moblo._native.version()
    assert os.path.exists(PACKAGE / "py.typed")
