"""What Python costs: a built-in problem against the program, a problem written in Python against its C++ twin, and
aggregation against plain PyTorch. Prints one JSON object. Called by tools/bench.

  bench/python_bench.py BUILD_FOLDER [TURNS]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(sys.argv[1]).resolve()
TURNS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BUILD / "python"), str(ROOT / "tests/python")]

import moblo  # noqa: E402
import plain_aggregators  # noqa: E402
import torch  # noqa: E402
from problems import Synthetic  # noqa: E402


class Cleaning(moblo.Problem):
    """The twin of the one in autograd_bench.cpp."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        training, trusted, self.weights = [], [], []
        for i in range(2):
            training.append((torch.rand(5000, 784), torch.randint(10, (5000,))))
            trusted.append((torch.rand(1000, 784), torch.randint(10, (1000,))))
            self.weights.append(torch.zeros(5000))
            self.upper.add_rows(f"weights {i}", self.weights[i])
        self.lower_batches = moblo.TensorBatches(training, 100, seed=1)
        self.upper_batches = moblo.TensorBatches(trusted, 100, seed=2)
        self.trunk = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256),
                                         torch.nn.ReLU())
        self.heads = [torch.nn.Linear(256, 10), torch.nn.Linear(256, 10)]
        self.lower.add("trunk", self.trunk)
        self.lower.add("first", self.heads[0])
        self.lower.add("second", self.heads[1])

    def error(self, part, task):
        scores = self.heads[task](self.trunk(part.inputs))
        return torch.nn.functional.cross_entropy(scores, part.targets, reduction="none")

    def upper_losses(self, batch):
        return [self.error(part, task).mean() for task, part in enumerate(batch.parts)]

    def lower_loss(self, batch):
        return sum((torch.sigmoid(self.upper.rows(f"weights {task}", part.indices)) * self.error(part, task)).mean()
                   for task, part in enumerate(batch.parts))


def fastest(call, repeats):
    best = float("inf")
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begun)
    return best


def fastest_step(problem, steps, inner_steps):
    solver = moblo.Solver(problem, moblo.Forum(inner_steps=inner_steps, inner_step_size=0.05, rho=0.5))
    return 1000 * fastest(solver.step, steps)


def fastest_recorded_step(folder):
    return min(sum(json.loads(line)["seconds"].values()) for line in open(folder / "timings.jsonl"))


BUILT_IN = {  # experiment file, iterations, inner steps
    "synthetic": ("synthetic.toml", 3000, 50),
    "hyper_cleaning": ("hyper_cleaning.toml", 12, 16),
}


def by_program(name, folder):
    file, iterations, inner_steps = BUILT_IN[name]
    settings = [f"iterations={iterations}", f"forum.inner_steps={inner_steps}", "evaluate_every=0",
                "checkpoint_every=0", "refit=off", "select=''", "method=forum", "threads=1", "tensorboard=false"]
    subprocess.run([BUILD / "moblo", "run", ROOT / "experiments" / file, "--quiet", "--out", folder,
                    *[word for setting in settings for word in ("--set", setting)]], check=True, capture_output=True)
    config = json.load(open(folder / "manifest.json"))["config"]
    return fastest_recorded_step(folder), config


def by_python(name, folder, config):
    options = {key: value for key, value in config[name].items() if value is not None}
    problem = getattr(moblo.problems, name)(seed=config["seed"], **options)
    forum = {key: value for key, value in config["forum"].items() if value is not None}
    moblo.train(problem, moblo.Forum(**forum), iterations=config["iterations"], folder=folder, tensorboard=False,
                optimiser=config["optimiser"], checkpoint_every=0, refit="off")
    return fastest_recorded_step(folder)


def built_in(name):
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as scratch:
        for turn in range(TURNS):
            seconds, config = by_program(name, pathlib.Path(scratch) / f"program-{turn}")
            theirs.append(seconds)
            ours.append(by_python(name, pathlib.Path(scratch) / f"python-{turn}", config))
    return {"python": min(ours), "program": min(theirs)}


def twins():
    ours, theirs = [], []
    for _ in range(TURNS):
        theirs.append(json.loads(subprocess.run([BUILD / "bench/autograd_bench", "12"], check=True, capture_output=True,
                                                text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}).stdout))
        ours.append({"synthetic": fastest_step(Synthetic(), 2400, 50), "network": fastest_step(Cleaning(), 12, 16)})
    return {"python": {key: min(each[key] for each in ours) for key in ours[0]},
            "cpp": {key: min(each[key] for each in theirs) for key in theirs[0]}}


def aggregation():
    rows_of_table = []
    for tasks in (2, 8, 32):
        rows = torch.randn(tasks, 1_000_000)
        orders = [[j for j in range(tasks) if j != i] for i in range(tasks)]
        for name, plain in (("mgda", lambda: plain_aggregators.mgda(rows)),
                            ("pcgrad", lambda: plain_aggregators.pcgrad(rows, orders)),
                            ("upgrad", lambda: plain_aggregators.upgrad(rows, 200))):
            ours, theirs = float("inf"), float("inf")
            for _ in range(TURNS):
                ours = min(ours, fastest(lambda: moblo.aggregate(rows, name), 3))
                theirs = min(theirs, fastest(plain, 2))
            rows_of_table.append({"tasks": tasks, "name": name, "ours": ours, "plain": theirs})
    return rows_of_table


def main():
    torch.set_num_threads(1)
    found = {"aggregation": aggregation(), "twins": twins(), "built_in": {}, "notes": []}
    for name in BUILT_IN:
        try:
            found["built_in"][name] = built_in(name)
        except (subprocess.CalledProcessError, moblo.Error) as error:
            found["notes"].append(f"{name} from Python is left out: {error}")
    json.dump(found, sys.stdout)


main()
