"""Fronts from Python: the numbers of C++, folders, Ctrl-C, exceptions."""
import os
import signal
import threading

import moblo
import pytest
import torch

SMALL = {"alpha": moblo.SGD(0.2), "omega": moblo.SGD(0.2)}


def problem():
    return moblo.problems.synthetic()


def forum(preference, limits=None):
    more = {"limits": limits} if limits else {}
    return moblo.Forum(inner_steps=10, inner_step_size=0.3, preference=preference, **more)


def front(make_problem=problem, make_method=forum, **options):
    return moblo.front(make_problem, make_method, **{"points": 4, "iterations": 60, "optimiser": SMALL, **options})


def test_points_follow_their_preferences():
    seen = []
    found = front(on_point=lambda so_far: seen.append(len(so_far.best)))
    assert len(found) == 4 and found.stopped_because == "all points done" and len(seen) == 4
    assert found.objectives == ["F1", "F2"] and found.hypervolume > 0 and len(found.hypervolume_history) == 4
    first, second = (found[index] for index in found.extremes)
    assert first.preference[0] > 0.5 and second.preference[1] > 0.5
    assert first.losses[0] < second.losses[0] and first.losses[1] > second.losses[1]
    for point in found.points:
        assert point.summary.iterations == (18 if point.warm_start_from is not None else 60)
        assert point.refit_losses is not None and point.problem is not None
    assert f"({found.best[0].preference[0]:.3g}" in repr(found)


def test_the_problems_of_the_points_are_the_ones_that_were_made():
    made = []

    def make():
        made.append(problem())
        return made[-1]

    found = front(make, points=2)
    assert [point.problem for point in found.points] == made[1:]


def test_a_folder_is_resumed_to_the_same_numbers(tmp_path):
    whole = front(folder=tmp_path / "whole")
    ended = []

    def stop(so_far):
        ended.append(so_far)
        if len(ended) == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        front(folder=tmp_path / "parts", on_point=stop)
    rest = front(folder=tmp_path / "parts")
    assert rest == whole and rest[3].run == "points/003"
    assert (tmp_path / "parts" / "front.csv").read_text() == (tmp_path / "whole" / "front.csv").read_text()


def test_ctrl_c_raises_keyboard_interrupt(tmp_path):
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt, match="the same call goes on"):
        front(folder=tmp_path / "run", iterations=10 ** 7)
    timer.join()


def test_what_is_wrong_is_told():
    with pytest.raises(moblo.OptionError, match="points"):
        front(points=0)
    with pytest.raises(moblo.OptionError, match="order is empty"):
        front(slack=0.1)
    with pytest.raises(moblo.UsageError, match="make_problem"):
        moblo.front(problem(), forum)
    with pytest.raises(moblo.UsageError, match="did not return a problem"):
        front(lambda: None)
    with pytest.raises(moblo.UsageError, match="was given as method"):
        front(make_method=lambda r: 3)
    with pytest.raises(ZeroDivisionError):
        front(make_method=lambda r: 1 / 0)


def test_an_exception_in_a_loss_arrives():
    class Breaks(moblo.Problem):
        def __init__(self):
            super().__init__()
            self.a, self.w, self.calls = torch.zeros(1), torch.zeros(2), 0
            self.upper.add("a", self.a)
            self.lower.add("w", self.w)

        def upper_losses(self, batch):
            self.calls += 1
            if self.calls > 20:
                raise ValueError("out of luck")
            return [(self.w - 1).square().sum(), (self.w + 1).square().sum()]

        def lower_loss(self, batch):
            return (self.w - self.a).square().sum()

    with pytest.raises(ValueError, match="out of luck"):
        front(Breaks)


def test_lexicographic_order_limits_the_first():
    found = front(order=["F2", "F1"], slack=0.05, iterations=300)
    assert len(found) == 2
    assert found[1].limits == {"F2": pytest.approx(found[0].losses[1] + 0.05)}
    assert found[1].losses[0] < found[0].losses[0]
