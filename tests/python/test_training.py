"""Runs from Python: resume, Ctrl-C, exceptions, callbacks, steps of one's own, threads, data loaders."""
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import moblo
import pytest
import torch
from problems import Decay, Synthetic, flat

FORUM = moblo.Forum(inner_steps=3, inner_step_size=0.05)
SMALL = {"alpha": moblo.SGD(0.01), "omega": moblo.Adam(0.01)}


def train(problem, iterations=30, method=FORUM, **options):
    return moblo.train(problem, method, iterations=iterations, optimiser=SMALL, **{"refit": "off", **options})


@pytest.mark.parametrize("method", [FORUM, moblo.MOML(inner_steps=3, inner_step_size=0.05),
                                    moblo.MoCo(inner_steps=2, inner_step_size=0.05)])
def test_a_run_that_a_loss_broke_resumes_to_the_same_bits(tmp_path, method):
    class Breaks(Decay):
        left = 10 ** 9

        def lower_loss(self, batch):
            self.left -= 1
            if self.left == 0:
                raise ValueError("out of luck")
            return super().lower_loss(batch)

    whole = Breaks()
    train(whole, method=method)
    broken = Breaks()
    broken.left = 57  # in the middle of a step
    with pytest.raises(ValueError, match="out of luck"):
        train(broken, method=method, folder=tmp_path / "run")
    again = Breaks()
    train(again, method=method, folder=tmp_path / "run")
    assert torch.equal(flat(again), flat(whole))


def test_the_program_reads_the_folder(tmp_path, root):
    program = root / "build/moblo"
    if not program.exists():
        pytest.skip("the program is not built")
    train(Decay(), folder=tmp_path / "run", evaluate_every=10)
    told = subprocess.run([program, "report", tmp_path / "run"], capture_output=True, text=True)
    assert told.returncode == 0 and "forum" in told.stdout
    assert subprocess.run([program, "verify", tmp_path / "run"], capture_output=True).returncode == 0


def test_an_exception_arrives_unchanged_with_its_traceback():
    class Mine(Exception):
        pass

    class Bad(Synthetic):
        calls = 0

        def lower_loss(self, batch):
            self.calls += 1
            return self.fails() if self.calls == 40 else super().lower_loss(batch)

        def fails(self):
            raise Mine("of my own")

    with pytest.raises(Mine, match="of my own") as caught:
        train(Bad())
    assert "in fails" in "".join(traceback.format_tb(caught.value.__traceback__))


def test_an_exception_before_the_first_iteration_arrives_unchanged():
    class Bad(Synthetic):
        def upper_losses(self, batch):
            return [self.nothing_like_this]

    with pytest.raises(AttributeError, match="nothing_like_this"):
        train(Bad())


def test_an_exception_in_a_backward_pass_arrives_unchanged():
    class Odd(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, gradient):
            raise KeyError("backwards")

    class Bad(Synthetic):
        def lower_loss(self, batch):
            return Odd.apply(super().lower_loss(batch))

    with pytest.raises(KeyError, match="backwards"):
        train(Bad())


def test_a_function_of_python_in_the_graph_works():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, gradient):
            return 2 * gradient * ctx.saved_tensors[0]

    class Custom(Synthetic):
        def lower_loss(self, batch):
            return Square.apply(self.omega - self.alpha).sum()

    for method in (FORUM, moblo.MOML(inner_steps=3)):
        ours, plain = Custom(), Synthetic()
        train(ours, method=method), train(plain, method=method)
        assert torch.allclose(flat(ours), flat(plain), rtol=0, atol=1e-12)


@pytest.mark.parametrize("written_in", ["python", "cpp"])
def test_ctrl_c_ends_a_run_within_a_second_and_it_resumes(tmp_path, root, written_in):
    made = "Decay()" if written_in == "python" else "moblo.problems.quadratic(p=50)"
    script = textwrap.dedent(f"""
        import sys, time
        sys.path[:0] = [{str(root / 'tests/python')!r}]
        import conftest, moblo
        from problems import Decay
        began = False
        def tell(record):
            global began
            if not began:
                began = True
                print("began", flush=True)
        try:
            moblo.train({made}, moblo.Forum(inner_steps=3, inner_step_size=0.01), iterations=10**7,
                        folder={str(tmp_path / 'run')!r}, record_every=1, on_step=tell, tensorboard=False)
        except KeyboardInterrupt as stopped:
            print("stopped", stopped, flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "MOBLO_PACKAGE": os.path.dirname(os.path.dirname(moblo.__file__))})
    assert process.stdout.readline() == "began\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    said = process.stdout.readline()
    assert time.monotonic() - asked < 1
    assert "stopped interrupted before iteration" in said and "run" in said
    assert process.wait(timeout=10) == 0
    made_so_far = int(said.split("iteration ")[1].split(";")[0])
    problem = Decay() if written_in == "python" else moblo.problems.quadratic(p=50)
    summary = moblo.train(problem, moblo.Forum(inner_steps=3, inner_step_size=0.01), iterations=made_so_far + 5,
                          folder=tmp_path / "run", tensorboard=False, refit="off")
    assert summary.status == "completed" and summary.iterations == made_so_far + 5


def test_callbacks_see_steps_and_evaluations_and_may_stop():
    steps, evaluations = [], []
    summary = train(Decay(), on_step=lambda record: steps.append(record.k), evaluate_every=10,
                    on_evaluation=lambda k, metrics: evaluations.append((k, metrics)))
    assert steps == list(range(30)) and [k for k, _ in evaluations] == [0, 10, 20, 30]
    assert summary.evaluations == evaluations and "error" in evaluations[0][1]
    stopped = train(Decay(), on_step=lambda record: record.k < 11)
    assert stopped.status == "interrupted" and stopped.iterations == 12


def test_an_exception_in_a_callback_arrives():
    with pytest.raises(ZeroDivisionError):
        train(Decay(), on_step=lambda record: 1 / (record.k - 3))


@pytest.mark.parametrize("method", [FORUM, moblo.MOML(inner_steps=2, inner_step_size=0.05), moblo.BOME(inner_steps=2),
                                    moblo.UPGrad()])
def test_steps_of_ones_own_are_those_of_a_run(method):
    class Tasks(Decay):
        def traits(self):
            return {"tasks": True}

    whole, stepped = Tasks(), Tasks()
    expected = train(whole, method=method)
    solver = moblo.Solver(stepped, method, optimiser=SMALL, iterations=30)
    records = [solver.step() for _ in range(30)]
    assert torch.equal(flat(stepped), flat(whole)) and solver.iterations == 30
    assert [record.k for record in records] == list(range(30))
    summary = solver.summary()
    assert summary.losses == expected.losses and summary.q == expected.q
    assert torch.equal(expected.history["losses"], torch.tensor([record.losses for record in records],
                                                                  dtype=torch.float64))


def test_a_solver_goes_on_from_its_state(tmp_path):
    whole = Decay()
    solver = moblo.Solver(whole, FORUM, optimiser=SMALL)
    for _ in range(10):
        solver.step()
    torch.save(solver.state_dict(), tmp_path / "state.pt")
    for _ in range(10):
        solver.step()
    again = Decay()
    resumed = moblo.Solver(again, FORUM, optimiser=SMALL, state=torch.load(tmp_path / "state.pt"))
    for _ in range(10):
        resumed.step()
    assert torch.equal(flat(again), flat(whole))


def test_a_step_that_fails_leaves_the_solver_as_it_was():
    class Breaks(Decay):
        broken = False

        def upper_losses(self, batch):
            if self.broken:
                raise OSError("no data")
            return super().upper_losses(batch)

    plain, broken = Decay(), Breaks()
    solvers = [moblo.Solver(problem, FORUM, optimiser=SMALL) for problem in (plain, broken)]
    for k in range(12):
        if k in (0, 5):
            broken.broken = True
            with pytest.raises(OSError):
                solvers[1].step()
            broken.broken = False
        for solver in solvers:
            solver.step()
    assert torch.equal(flat(plain), flat(broken))


def test_a_problem_is_in_one_run_at_a_time():
    problem = Decay()
    solver = moblo.Solver(problem, FORUM)
    with pytest.raises(moblo.UsageError, match="in a run already"):
        train(problem)
    del solver
    train(problem, 2)


def test_values_that_are_not_finite_end_a_run_with_a_status():
    with pytest.warns(moblo.RunWarning, match="non_finite"):
        summary = moblo.train(Synthetic(), moblo.Forum(inner_steps=3, inner_step_size=1e300), iterations=10)
    assert summary.status == "non_finite" and not summary.succeeded


def test_two_threads_do_not_disturb_each_other():
    class Random(Decay):
        def lower_loss(self, batch):
            return super().lower_loss(batch) + 0.01 * torch.randn((), dtype=torch.float64) * self.decay.sum()

    def run(problem, results, name):
        torch.set_num_threads(1)
        train(problem, 100)
        results[name] = flat(problem)

    alone, together = {}, {}
    torch.manual_seed(3)
    for name in range(2):
        run(Decay(), alone, name)
    # Made here: a problem draws its start from torch's one generator, which two threads would share.
    threads = [threading.Thread(target=run, args=(Decay(), together, name)) for name in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(torch.equal(alone[name], together[name]) for name in range(2))
    threads = [threading.Thread(target=run, args=(Random(), together, name)) for name in range(2)]  # they take turns
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_other_python_threads_run_meanwhile():
    ticks, over = [0], threading.Event()

    def tick():
        while not over.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    moblo.train(moblo.problems.quadratic(p=200), moblo.Forum(inner_steps=50, inner_step_size=0.1), iterations=100)
    over.set()
    thread.join()
    assert ticks[0] > 5


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_feeds_a_run(workers):
    problem = Decay(batches=False)
    dataset = torch.utils.data.TensorDataset(*problem.data)
    loader = torch.utils.data.DataLoader(dataset, batch_size=10, shuffle=True, num_workers=workers)

    class Loaded(Decay):
        def residual(self, batch):
            x, y = batch if batch is not None else self.data
            return self.net(x) - y

    problem = Loaded(batches=False)
    problem.upper_batches = loader
    problem.lower_batches = loader
    before = problem.evaluate()["error"]
    summary = train(problem, 60, refit="fresh")
    assert summary.succeeded and summary.refit is not None and problem.evaluate()["error"] < before


def test_a_run_from_an_iterable_is_not_resumed(tmp_path):
    def made():
        problem = Synthetic()
        problem.lower_batches = [None, None]
        return problem

    train(made(), folder=tmp_path / "run")
    with pytest.raises(moblo.CheckpointError, match="iterable"):
        train(made(), 40, folder=tmp_path / "run")
    solver = moblo.Solver(made(), FORUM)
    solver.step()
    with pytest.raises(moblo.CheckpointError, match="iterable"):
        moblo.Solver(made(), FORUM, state=solver.state_dict())


def test_an_iterator_that_ends_is_told():
    problem = Synthetic()
    problem.lower_batches = iter([None] * 20)
    with pytest.raises(moblo.DataError, match="come to its end"):
        train(problem)


def test_a_stream_of_ones_own_resumes(tmp_path):
    class Stream(moblo.BatchStream):
        def at(self, number):
            generator = torch.Generator().manual_seed(number)
            x = torch.randn(10, 4, dtype=torch.float64, generator=generator)
            return x, x.sum(1, keepdim=True)

    class Streamed(Decay):
        def __init__(self):
            super().__init__(batches=False)
            self.upper_batches, self.lower_batches = Stream(), Stream()

        def residual(self, batch):
            return self.net(batch[0]) - batch[1]

        def evaluate(self):
            return {}

    whole = Streamed()
    train(whole, 30)
    train(Streamed(), 20, folder=tmp_path / "run")
    again = Streamed()
    train(again, 30, folder=tmp_path / "run")
    assert torch.equal(flat(again), flat(whole))


def test_optimisers_and_schedules_arrive():
    schedules = [moblo.ConstantSchedule(warmup=3), moblo.StepSchedule(every=5), moblo.CosineSchedule(floor=0.1),
                 moblo.PowerSchedule(power=0.3), moblo.PlateauSchedule(patience=1)]
    results = set()
    for schedule in schedules:
        for optimiser in (moblo.SGD(0.01, momentum=0.5, schedule=schedule), moblo.Adam(0.01, schedule=schedule),
                          moblo.AdamW(0.01, weight_decay=0.1, schedule=schedule)):
            problem = Decay()
            moblo.train(problem, FORUM, iterations=12, optimiser=optimiser, refit="off", evaluate_every=2,
                        select="-error")
            results.add(tuple(flat(problem).tolist()))
    assert len(results) == 15


@pytest.mark.parametrize("options, words", [
    ({"iterations": 0}, "iterations = 0"),
    ({"iterations": "many"}, "iterations"),
    ({"stop": {"patience": -1}}, "stop.patience = -1"),
    ({"optimiser": {"lower": moblo.SGD()}}, "\"alpha\" and \"omega\""),
    ({"refit": "maybe"}, "refit"),
    ({"select": "nonsense", "evaluate_every": 1}, "nonsense"),
])
def test_options_are_refused_in_the_words_of_a_file(options, words):
    with pytest.raises(moblo.OptionError, match=words):
        moblo.train(Decay(), FORUM, **options)


@pytest.mark.parametrize("make, words", [
    (lambda: moblo.Forum(rho=-1), "forum.rho = -1"),
    (lambda: moblo.Forum(rhoo=1), "rhoo.*rho"),
    (lambda: moblo.Forum(profile="papre"), "paper"),
    (lambda: moblo.SGD(step_size=-1), "step_size = -1"),
    (lambda: moblo.Adam(betas=(2, 0.9)), "beta1 = 2"),
    (lambda: moblo.MOML(weighting="cagrat"), "cagrad"),
    (lambda: moblo.train(Decay(), "forumm"), "forum"),
    (lambda: moblo.UPGrad(colour="red"), "colour"),
])
def test_bad_options_are_refused_where_they_are_given(make, words):
    with pytest.raises(moblo.OptionError, match=words) as caught:
        make()
    assert isinstance(caught.value, ValueError)


def test_a_method_is_named_or_made_in_several_ways():
    assert moblo.method("forum", rho=0.3) == moblo.Forum(rho=0.3)
    assert moblo.MOML(weighting=moblo.CAGrad(radius=0.4)).options["weighting_options"] == {"radius": 0.4}
    assert moblo.method("upgrad", gradients="representation").options["gradients"] == "representation"
    with pytest.raises(moblo.OptionError, match="forum"):
        moblo.method("forumm")


def test_values_are_pickled():
    summary = train(Decay(), evaluate_every=10, refit="fresh")
    again = pickle.loads(pickle.dumps(summary))
    assert again == summary and torch.equal(again.history["losses"], summary.history["losses"])
    for value in (FORUM, moblo.Adam(0.1, schedule=moblo.CosineSchedule()), moblo.MOML(weighting="upgrad"),
                  moblo.method("mgda")):
        assert pickle.loads(pickle.dumps(value)) == value and repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_a_summary_is_shown():
    summary = train(Decay(), evaluate_every=10, refit="fresh")
    assert "completed after 30 iterations" in repr(summary)
    page = summary._repr_html_()
    assert page.count("<svg") == 3 and "upper losses" in page and "lower level solved again" in page


def test_every_summary_can_be_shown():
    class Many(Synthetic):
        def upper_losses(self, batch):
            return [(i + 1) * loss for i in range(15) for loss in super(Many, self).upper_losses(batch)]

        def objective_names(self):
            return [f"<{i}>" for i in range(30)]

    page = train(Many())._repr_html_()
    assert page.count("<svg") == 1 and "and 6 more" in page and "&lt;3&gt;" in page and "<3>" not in page
    with pytest.warns(moblo.RunWarning):
        page = moblo.train(Synthetic(), moblo.Forum(inner_step_size=1e300), iterations=10)._repr_html_()
    assert 'class="bad">non_finite' in page
    solver = moblo.Solver(Synthetic(), FORUM)
    assert "<svg" not in solver.summary()._repr_html_()
    assert "<table" in moblo.train(moblo.problems.synthetic(), moblo.TPE(trials=3), iterations=3)._repr_html_()


def test_progress_is_told(capsys):
    train(Decay(), progress=True)
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 10 and lines[-1].startswith("forum 30/30")


def test_a_refit_leaves_everything_as_it_was():
    problem = Decay()
    train(problem)
    before = flat(problem)
    refit = moblo.refit(problem, steps=50, optimiser=moblo.SGD(0.05))
    assert torch.equal(flat(problem), before)
    assert refit.steps == 50 and len(refit.alone.losses) == 2 and "error" in refit.joint.metrics
