"""What the campaigns against runs share: starting and ending the program, what is run, and what has to be equal."""
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PATIENCE = 120  # seconds: whatever is slower than this hangs
MARK = "MOBLO_ATTACK"


class Result:
    def __init__(self, code, out, err, seconds, hung=False):
        self.code, self.out, self.err, self.seconds, self.hung = code, out, err, seconds, hung

    @property
    def signal(self):
        return -self.code if self.code < 0 else 0

    def last_words(self):
        return (self.err.strip() or self.out.strip())[-600:]


class Program:
    """The program in a folder of its own; every process of it carries a mark, so that none is left behind."""

    def __init__(self, program, folder, environment=None):
        self.path = str(pathlib.Path(program).resolve())
        self.folder = pathlib.Path(folder)
        self.mark = f"{os.getpid()}-{self.folder.name}-{random.getrandbits(32)}"
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", MARK: self.mark, **(environment or {})}

    def start(self, arguments, more_environment=None):
        self.out = tempfile.TemporaryFile()
        self.err = tempfile.TemporaryFile()
        return subprocess.Popen([self.path, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=self.out, stderr=self.err, start_new_session=True,
                                env={**self.environment, **(more_environment or {})})

    def collect(self, process, since, hung=False):
        texts = []
        for stream in (self.out, self.err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
            stream.close()
        return Result(process.returncode, *texts, time.monotonic() - since, hung)

    def run(self, arguments, more_environment=None, patience=PATIENCE):
        since = time.monotonic()
        process = self.start(arguments, more_environment)
        try:
            process.wait(patience)
            return self.collect(process, since)
        except subprocess.TimeoutExpired:
            kill_group(process)
            return self.collect(process, since, hung=True)

    def left_behind(self, patience=5.0):
        """Processes with the mark, or in the folder, that outlive the one that was started; they are ended."""
        deadline = time.monotonic() + patience
        while True:
            alive = marked_processes(self.mark, self.folder)
            if not alive or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        for process in alive:
            end_process(process)
        return alive


def end_process(number):
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def marked_processes(mark, folder=None, prefix=False):
    """By the environment they began with; a fork that got another one later is known by the folder it stands in."""
    wanted = f"{MARK}={mark}".encode()

    def is_marked(process):
        if folder and os.readlink(process / "cwd") == str(folder):
            return True
        entries = (process / "environ").read_bytes().split(b"\0")
        return any(entry.startswith(wanted) if prefix else entry == wanted for entry in entries)
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        process = pathlib.Path("/proc", entry)
        try:
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            if is_marked(process) and state != "Z":
                found.append(int(entry))
        except OSError:
            continue
    return found


class Subject:
    """A command, the command that goes on with it, and what of its folder must not depend on interruptions."""

    def __init__(self, name, start, resume, signs):
        self.name, self.start, self.resume = name, start, resume
        self.signs = signs  # files of the folder from which on `resume` is the command to give
        self.reference = None
        self.seconds = None

    def begun(self, folder):
        return any((folder / sign).exists() for sign in self.signs)

    def make_reference(self, program, folder):
        self.reference = folder / "reference" / re.sub(r"\W+", "-", self.name)
        result = program.run(self.start(self.reference))
        if result.code != 0:
            raise SystemExit(f"{self.name}: the uninterrupted run failed ({result.code}): {result.last_words()}")
        self.seconds = result.seconds


TIMES = {"seconds", "created", "started", "ended", "peak_bytes", "bytes_before_first_step", "predicted_bytes", "run",
         "folder", "out", "machine", "runtime", "amendments", "host", "pid", "resumes", "checksum", "timings.jsonl"}


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(entry) for key, entry in value.items()
                if key not in TIMES and not key.endswith("_seconds")}
    if isinstance(value, list):
        return [without_times(entry) for entry in value]
    return value


def compared_files(folder):
    """Relative paths of all that must be equal; not times, locks, pages (made of the rest) and state on the way."""
    kept = {}
    for path in sorted(folder.rglob("*")):
        name = path.name
        if not path.is_file() or name.endswith((".html", ".tmp")) or name in ("timings.jsonl", ".lock"):
            continue
        if name.startswith("events.out.tfevents") or "checkpoint" in path.relative_to(folder).parts[:-1]:
            continue
        kept[str(path.relative_to(folder))] = path
    return kept


def temporaries(folder):
    return [str(path.relative_to(folder)) for path in folder.rglob("*.tmp")]


def differences(reference, folder):
    """Texts: what is unequal. JSON documents are compared without times, all else byte for byte."""
    wanted, found = compared_files(reference), compared_files(folder)
    texts = [f"{name} is missing" for name in wanted if name not in found]
    texts += [f"{name} is left over" for name in found if name not in wanted]
    for name in wanted.keys() & found.keys():
        if name.endswith(".json"):
            here, there = (json.loads(files[name].read_text()) for files in (found, wanted))
            equal = without_times(here) == without_times(there)
        else:
            equal = found[name].read_bytes() == wanted[name].read_bytes()
        if not equal:
            texts.append(f"{name} differs")
    return texts


def shell(program, arguments):
    return shlex.join([program, *map(str, arguments)])


def flags(settings):
    return [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]


# -- subjects ---------------------------------------------------------------------------------------------------------


def run_subject(name, settings, more=(), file="synthetic.toml"):
    command = ["run", SOURCE / "experiments" / file, "--quiet", *flags(settings), *more]
    return Subject(name, lambda folder: [*command, "--out", folder],
                   lambda folder: ["run", "--quiet", "--resume", folder], ["manifest.json", "experiment.json"])


BILEVEL = {"checkpoint_every": 4, "evaluate_every": 6, "iterations": 60, "threads": 1,
           "optimiser.alpha.kind": "adam", "optimiser.alpha.step_size": 0.02, "optimiser.omega.step_size": 0.02}
SEARCHES = {"nsga2": {"population": 8}, "tpe": {"startup": 3}}


def suitable_pairs(program):
    """(method, problem) of the table that `moblo list methods` ends with."""
    result = program.run(["list", "methods"])
    if result.code != 0:
        raise SystemExit(f"moblo list methods failed: {result.last_words()}")
    table = result.out.partition("\nsuits")[2].splitlines()
    problems = table[0].split()
    pairs = []
    for line in table[1:]:
        words = line.split()
        if len(words) == len(problems) + 1:
            pairs += [(words[0], problem) for problem, yes in zip(problems, words[1:]) if yes == "yes"]
    if not pairs:
        raise SystemExit("moblo list methods shows no table of what suits what")
    return pairs


def settings_for(method, problem, data):
    """Cheap, with many checkpoints, evaluations, mini-batches and a selection where the problem has metrics."""
    settings = {"problem": problem, "method": method, **BILEVEL}
    if method in SEARCHES:
        settings.update({"iterations": 12, "checkpoint_every": 2, "evaluate_every": 3})
        settings.update({f"{method}.{key}": value for key, value in SEARCHES[method].items()})
    if problem in ("synthetic", "noisy_regression", "double_well", "quadratic", "decays"):
        settings[f"{method}.inner_steps"] = 4
        settings[f"{method}.inner_step_size"] = 0.02
    if problem == "noisy_regression":
        settings.update({"select": "detection_auc_1", f"{problem}.batch": 10, f"{problem}.samples": 60})
    if problem == "multi_mnist":
        settings.update({"select": '"select accuracy"', f"{problem}.data": f'"{data}"', f"{problem}.train": 60,
                         f"{problem}.validation": 30, f"{problem}.select": 30, f"{problem}.test": 20,
                         f"{problem}.batch": 8, f"{problem}.first_channels": 2, f"{problem}.second_channels": 2,
                         f"{problem}.features": 5, "iterations": 30})
        if method == "stl":
            settings[f"{problem}.networks"] = "separate"
    return settings


def method_subjects(program, data):
    """Every method on a cheap problem or two that it suits."""
    cheap = ["synthetic", "noisy_regression", "multi_mnist"]
    chosen, count = [], {}
    for method, problem in sorted(suitable_pairs(program), key=lambda pair: cheap.index(pair[1])
                                  if pair[1] in cheap else len(cheap)):
        if problem in cheap and count.get(method, 0) < 2:
            count[method] = count.get(method, 0) + 1
            chosen.append((method, problem))
    return [run_subject(f"{method} on {problem}", settings_for(method, problem, data)) for method, problem in chosen]


def seeds_subject():
    settings = settings_for("forum", "noisy_regression", None)
    return run_subject("run --seeds", {**settings, "iterations": 24}, ["--seeds", "0..2"])


def reproduce_subject(jobs=2, iterations=40):
    settings = {"iterations": iterations, "checkpoint_every": iterations // 4, "method": "forum", "threads": 1}

    def command(folder):
        return ["reproduce", "figure-3", "--quick", "--quiet", *flags(settings), "--jobs", jobs, "--out", folder]
    return Subject("reproduce", command, command, [])


FRONT = {"problem": "noisy_regression", "method": "forum", "checkpoint_every": 4, "evaluate_every": 6, "refit_steps": 8,
         "forum.inner_steps": 2, "forum.inner_step_size": 0.02, "noisy_regression.batch": 10,
         "noisy_regression.samples": 60, "front.roots": 1, "front.warm_iterations": 0.5}


def front_subject(jobs=2, iterations=40, points=5):
    """In two rounds with warm starts, each point with a refit."""
    command = ["front", SOURCE / "experiments/synthetic.toml", "--quiet", "--refine", "--points", points,
               *flags({**FRONT, "iterations": iterations}), "--jobs", jobs]
    return Subject("front", lambda folder: [*command, "--out", folder],
                   lambda folder: ["front", "--quiet", "--jobs", jobs, "--resume", folder], ["front_plan.json"])


ARENA = """title = "A small arena"
methods = ["forum", "bome"]
candidates = 2
seeds = [1]

[[problem]]
name = "front_quadratic"
problem = "front_quadratic"
budget = {budget}
evaluate_every = 5
refit_steps = 8
alpha = [0.03, 1.0]
omega = [0.03, 1.0]
lower = [0.1, 1.0]
score = {{ distance = 1 }}
common = {{ inner_steps = 2 }}
settings = {{ checkpoint_every = 4 }}
"""


def arena_subject(folder, jobs=2, budget=300):
    file = folder / f"arena-{budget}.toml"
    file.write_text(ARENA.format(budget=budget))
    return Subject("arena", lambda folder: ["arena", file, "--quiet", "--jobs", jobs, "--out", folder],
                   lambda folder: ["arena", "--quiet", "--jobs", jobs, "--resume", folder], ["arena_plan.json"])


def clean_subject(program, table):
    def command(folder):
        return ["clean", "--noisy", table, "--quick", "--quiet", "--threads", "1", "--out", folder]
    resumable = "--resume" in program.run(["clean", "--help"]).out
    resume = (lambda folder: ["clean", "--resume", folder, "--quiet"]) if resumable else command
    return Subject("clean", command, resume, ["clean_state", "clean.json"] if resumable else [])


# -- data -------------------------------------------------------------------------------------------------------------


def write_table(file, seed=1, rows=120):
    """Two classes apart in three features; a fifth of the labels is wrong, a quarter of the rows trusted."""
    draw = random.Random(seed)
    lines = ["x,y,z,label,trusted"]
    for row in range(rows):
        label, trusted = row % 2, row % 4 < 2 and row % 8 < 4
        numbers = ",".join(f"{draw.gauss(2.0 * label, 1):.5f}" for _ in range(3))
        given = label if trusted or draw.random() > 0.2 else 1 - label
        lines.append(f"{numbers},{'ab'[given]},{int(trusted)}")
    file.write_text("\n".join(lines) + "\n")


def write_digits(folder, count=200, side=12, seed=1):
    """A folder `mnist` of files in the IDX format, with images that are noise around one pattern per class."""
    draw = random.Random(seed)
    patterns = [bytes(draw.choice((0, 0, 200)) for _ in range(side * side)) for _ in range(10)]
    (folder / "mnist").mkdir(parents=True)
    for part in ("train", "t10k"):
        labels = [draw.randrange(10) for _ in range(count)]
        pixels = b"".join(bytes(min(255, p + draw.randrange(50)) for p in patterns[label]) for label in labels)
        (folder / "mnist" / f"{part}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 0x803, count, side, side) + pixels)
        (folder / "mnist" / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + bytes(labels))


class Workplace:
    """A temporary folder with the data of all subjects; gone at the end."""

    def __init__(self, name):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # through __exit__
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"moblo-{name}-")).resolve()
        self.data = self.folder / "data"
        write_digits(self.data)
        self.table = self.folder / "noisy.csv"
        write_table(self.table)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in marked_processes(f"{os.getpid()}-", prefix=True):
            end_process(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def place(self, name):
        folder = self.folder / re.sub(r"\W+", "-", name)
        folder.mkdir()
        return folder
