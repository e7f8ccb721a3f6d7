"""Builds the extension module with CMake, against the torch of the interpreter that runs this.

    pip install --no-build-isolation .        # isolation would hide that torch, or fetch another

MOBLO_CMAKE_ARGS adds arguments to the configuration, such as -DMOBLO_LAB=OFF.
"""
import os
import pathlib
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
WORK = ROOT / "build" / "pip"  # beside the build of CMake, which .gitignore knows


def torch_arguments():
    try:
        import torch
    except ImportError:
        sys.exit("moblo needs torch in this interpreter before it is built. Install torch (Debian: python3-torch), and "
                 "call pip with --no-build-isolation")
    prefix = pathlib.Path(torch.utils.cmake_prefix_path)
    arguments = [f"-DCMAKE_PREFIX_PATH={prefix}"] if prefix.is_dir() else []
    if not torch._C._GLIBCXX_USE_CXX11_ABI:  # the system's C++ libraries cannot be linked with such a torch
        arguments += ["-DMOBLO_LAB=OFF", "-DMOBLO_SEARCH=OFF"]
    return arguments


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        package = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        folder = WORK / f"cmake-{sys.implementation.cache_tag}"
        configure = ["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DMOBLO_PYTHON=ON",
                     "-DMOBLO_TESTS=OFF", "-DMOBLO_BENCH=OFF", "-DCMAKE_UNITY_BUILD=ON",
                     f"-DPython_EXECUTABLE={sys.executable}", f"-DMOBLO_PYTHON_DIR={package.parent}",
                     *torch_arguments(), *shlex.split(os.environ.get("MOBLO_CMAKE_ARGS", ""))]
        subprocess.run(configure, check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "moblo_python", "--parallel"], check=True)


WORK.mkdir(parents=True, exist_ok=True)
setup(ext_modules=[Extension("moblo._native", [])], cmdclass={"build_ext": CMakeBuild},
      options={"build": {"build_base": str(WORK)}, "egg_info": {"egg_base": str(WORK)}})
