"""Examples, notebook and the code of the documentation: all of it runs, and says what it should."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import moblo
import pytest

PACKAGE = pathlib.Path(moblo.__file__).parent.parent
NOT_RUN = "<!-- not run:"


def environment(folder):
    """One thread; MYPYPATH and PYTHONPATH lead to the built package; settings of Jupyter stay out of the home."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE), "MYPYPATH": str(PACKAGE), "OMP_NUM_THREADS": "1",
            "PYTHONWARNINGS": "ignore::DeprecationWarning", "JUPYTER_CONFIG_DIR": str(folder / "jupyter"),
            "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}


def said_by(arguments, folder, **options):
    told = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, cwd=folder,
                          env=environment(folder), timeout=280, **options)
    assert told.returncode == 0, told.stdout + told.stderr
    return told.stdout


@pytest.fixture
def example(root, tmp_path):
    return lambda name, *arguments: said_by([root / "examples/python" / name, *arguments], tmp_path)


def number_after(words, text):
    return float(re.search(re.escape(words) + r"\s*(-?[\d.]+)", text).group(1))


def test_own_problem(example):
    said = example("own_problem.py")
    assert said.startswith("gradients agree") and "completed after 3000 iterations" in said
    assert 0.2 < number_after("strength", said.splitlines()[-2]) < 0.6 and "with w fitted again: 10." in said


def test_functions(example):
    said = example("functions.py")
    assert "completed after 1000 iterations" in said and 0.1 < number_after("strength", said) < 0.6


def test_hyper_cleaning(example):
    said = example("hyper_cleaning.py", "--quick")
    learned, trusted = number_after("FORUM, learned weights:", said), number_after("trusted labels only:", said)
    assert learned > trusted and learned > number_after("all labels alike:", said)
    assert number_after("AUC of finding the wrong labels:", said) > 0.85


def test_multi_task(example):
    rows = {line.split()[0]: [float(value) for value in re.findall(r"([\d.]+) %", line)]
            for line in example("multi_task.py").splitlines()[1:]}
    assert set(rows) == {"sum", "UPGrad", "Nash-MTL"} and rows["Nash-MTL"][-1] > rows["sum"][-1]


def test_task_weights(example):
    last = example("task_weights.py").splitlines()[-1]
    assert number_after("weights", last) > 0.6


def test_plain_loop(example):
    said = example("plain_loop.py")
    assert "stopped after" in said and "the same numbers: True" in said


def test_every_example_is_run_here(root):
    here = pathlib.Path(__file__).read_text()
    missing = [file.name for file in (root / "examples/python").iterdir() if file.suffix in (".py", ".ipynb")
               and f'"{file.name}"' not in here]
    assert missing == []


def test_notebook(root, tmp_path):
    source = root / "examples/python" / "two_groups.ipynb"
    cells = json.loads(source.read_text())["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells), "commit it without outputs"
    shutil.copy(source, tmp_path)
    said_by(["-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb", "--log-level", "ERROR",
             tmp_path / source.name], tmp_path)
    outputs = [output for cell in json.loads((tmp_path / "done.ipynb").read_text())["cells"]
               for output in cell.get("outputs", [])]
    pages = ["".join(output["data"]["text/html"]) for output in outputs if "text/html" in output.get("data", {})]
    assert len(pages) == 2 and all(page.count("<svg") == 3 and "first group" in page for page in pages)
    printed = "".join("".join(output.get("text", "")) for output in outputs)
    assert 5 < int(re.search(r"(\d+) steps: a", printed).group(1)) < 300  # the callback has ended it


def blocks_of(page):
    """(line, code) of each Python block, without those that say why they are not run."""
    found, lines, number = [], page.read_text().splitlines(), 0
    while number < len(lines):
        if lines[number].strip() != "```python":
            number += 1
            continue
        end = lines.index("```", number)
        if not lines[number - 1].startswith(NOT_RUN):
            found.append((number + 1, "\n".join(lines[number + 1:end])))
        number = end + 1
    return found


@pytest.mark.parametrize("page", ["docs/python.md", "docs/from_pytorch.md", "docs/fronts.md", "README.md"])
def test_the_code_of_a_page_runs(root, tmp_path, page):
    blocks = blocks_of(root / page)
    assert blocks
    # The blank lines before a block give tracebacks the page's own line numbers.
    script = tmp_path / "page.py"
    script.write_text("names = {}\n" + "\n".join(
        f"exec(compile({chr(10) * line + code!r}, {page!r}, 'exec'), names)" for line, code in blocks))
    said_by([script], tmp_path)


def mypy(folder, root, *arguments):
    return subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(root / "tests/python/mypy.ini"),
                           "--cache-dir", str(folder / "cache"), *map(str, arguments)],
                          capture_output=True, text=True, cwd=folder, env=environment(folder), timeout=280)


def test_types(root, tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(textwrap.dedent("""
        import moblo
        moblo.Forum(inner_step=3)
        moblo.Forum(rho="small")
        moblo.train(moblo.problems.synthetic(), moblo.UPGrad(), iteration=3)
        moblo.train(moblo.problems.synthetic(), "forum", optimiser=moblo.SGD("fast"))
        total: str = moblo.train(moblo.problems.synthetic()).losses
    """))
    told = mypy(tmp_path, root, *sorted((root / "examples/python").glob("*.py")), PACKAGE / "moblo")
    assert told.returncode == 0, told.stdout + told.stderr
    refused = mypy(tmp_path, root, wrong)
    assert [int(line.split(":")[1]) for line in refused.stdout.splitlines() if "error:" in line] == [3, 4, 5, 6, 7]
