"""The built package is found by MOBLO_PACKAGE (the folder that holds moblo/), or in build/python."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.environ.get("MOBLO_PACKAGE", str(ROOT / "build/python")))

import torch  # noqa: E402


@pytest.fixture(autouse=True)
def one_thread_and_one_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def root():
    return ROOT
