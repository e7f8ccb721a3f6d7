#!/usr/bin/env python3
"""Follows CONTRIBUTING.md to the letter in a scratch copy: the weighting of its example, and with --method its method too.

    tests/system/contributing_test.py SOURCE_FOLDER [--method]

Every code block below a line "`path`:" goes to that path; to a .def file its lines are added. Pages are written as the text
asks. Then the tests of the room must pass, and with --method the program must list the method and solve with it.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^`([\w/.]+)`:\n\n```\w*\n(.*?)^```", re.M | re.S)


def copy_sources(source, to):
    tracked = subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=source, text=True)
    for name in tracked.splitlines():
        if (source / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, to / name)


def follow(text, to):
    for path, code in BLOCK.findall(text):
        target = to / path
        if target.suffix == ".def":
            target.write_text(target.read_text() + code)
        else:
            target.write_text(code)
        stem = target.stem
        if target.suffix == ".cpp" and "weightings" in path:
            (to / f"docs/methods/weightings/{stem}.md").write_text(f"# {stem}\n")
        print(f"wrote {path}", flush=True)


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    method = "--method" in sys.argv
    text = (source / "CONTRIBUTING.md").read_text()
    if not method:
        text = text[:text.index("## Adding a method")]
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "moblo"
        copy_sources(source, copy)
        follow(text, copy)
        run("cmake", "--preset", "release", cwd=copy)
        targets = ["test_aggregation"] + (["moblo", "moblo_catalogue"] if method else [])
        run("cmake", "--build", "--preset", "release", "--target", *targets, cwd=copy)
        run("build/tests/test_aggregation", cwd=copy)
        if method:
            listed = subprocess.check_output(["build/moblo", "list", "methods"], cwd=copy, text=True)
            name = re.findall(r"^MOBLO_METHOD\((\w+)\)", text, re.M)[-1]
            assert name in listed, f"`moblo list methods` does not name {name}"
            run("build/moblo", "run", "experiments/synthetic.toml", "--set", f"method={name}", "--quiet", cwd=copy)
    print("contributing: followed to the letter, and it works")


if __name__ == "__main__":
    main()
