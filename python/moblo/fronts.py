"""Fronts: one run per preference, and how they compare."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import _native
from ._errors import RunWarning, UsageError
from .methods import Method, name_and_options
from .results import Summary, as_summary
from .training import AnyProblem, Optimisers, _refuse_resume_of_iterables, _training_options

MakeMethod = Callable[..., Method]


@dataclass(frozen=True)
class FrontPoint:
    """One trade-off."""

    index: int
    round: int  # of refinement; 0: the spread
    preference: List[float]  # sum 1; larger: that objective matters more
    limits: Dict[str, float]  # objectives that were kept below a value
    warm_start_from: Optional[int]  # the point at whose end it began
    losses: List[float]  # of the joint model; empty where the run gave none
    refit_losses: Optional[List[float]]  # with the lower level solved again
    status: str
    dominated: bool
    refit_dominated: Optional[bool]
    run: str = ""  # relative to the folder
    summary: Optional[Summary] = field(default=None, repr=False, compare=False)
    problem: Optional[AnyProblem] = field(default=None, repr=False, compare=False)  # at the end of its run


@dataclass(frozen=True)
class Front:
    """All points in the order in which they were planned, and how they are judged."""

    objectives: List[str]
    points: List[FrontPoint]
    reference_point: List[float]  # of the hypervolume
    hypervolume: float
    refit_hypervolume: Optional[float]
    extremes: List[int]  # the best point of each objective
    knee: Optional[int]
    largest_gap: Optional[float]  # between neighbours, over the diameter
    hypervolume_history: List[Tuple[int, float]]
    rounds: int
    stopped_because: str

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: int) -> FrontPoint:
        return self.points[index]

    @property
    def best(self) -> List[FrontPoint]:
        """Those that no other beats, by the first objective."""
        return sorted((point for point in self.points if not point.dominated), key=lambda point: point.losses)

    def __repr__(self) -> str:
        lines = [f"Front of {len(self.points)} points, {len(self.best)} not dominated; hypervolume "
                 f"{self.hypervolume:.6g}; ended: {self.stopped_because}"]
        for point in self.best:
            losses = ", ".join(f"{name} {value:.5g}" for name, value in zip(self.objectives, point.losses))
            marks = [f"best {name}" for name, index in zip(self.objectives, self.extremes) if index == point.index]
            marks += ["knee"] if self.knee == point.index else []
            preference = " ".join(f"{value:.3g}" for value in point.preference)
            lines.append(f"  {point.index:3} ({preference}): {losses}" + (f"  [{', '.join(marks)}]" if marks else ""))
        return "\n".join(lines)


def _as_front(record: Mapping[str, Any], summaries: Sequence[Dict[str, Any]] = (),
              problems: Sequence[AnyProblem] = ()) -> Front:
    points = []
    for given in record["points"]:
        index = given["index"]
        known = index < len(summaries)
        points.append(FrontPoint(
            index, given["round"], given["preference"], dict(given.get("limits") or {}), given["warm_start_from"],
            given["losses"], given["refit_losses"], given["status"], given["dominated"], given["refit_dominated"],
            given["run"], as_summary(summaries[index]) if known else None, problems[index] if known else None))
    history = [(entry["points"], entry["hypervolume"]) for entry in record["hypervolume_history"]]
    return Front(record["objectives"], points, record["reference_point"], record["hypervolume"],
                 record["refit_hypervolume"], record["extremes"], record["knee"], record["largest_gap"], history,
                 record["rounds"], record["stopped_because"])


def front(make_problem: Callable[[], AnyProblem], make_method: MakeMethod, *, points: Optional[int] = None,
          refine: Optional[bool] = None, rounds: Optional[int] = None, tolerance: Optional[float] = None,
          roots: Optional[int] = None, warm_iterations: Optional[float] = None,
          order: Optional[Sequence[str]] = None, slack: Union[float, Sequence[float], None] = None,
          reference_point: Optional[Sequence[float]] = None, iterations: int = 1000, folder: Optional[Any] = None,
          on_point: Optional[Callable[[Front], Any]] = None, optimiser: Optional[Optimisers] = None,
          checkpoint_every: Optional[int] = None, evaluate_every: Optional[int] = None,
          record_every: Optional[int] = None, tensorboard: Optional[bool] = None, select: Optional[str] = None,
          refit: Optional[str] = None, refit_steps: Optional[int] = None,
          stop: Optional[Mapping[str, Any]] = None) -> Front:
    """Runs a method once per preference, one run after the other.

    Args:
        make_problem: returns a new problem at its start, always the same; called once per point and once before.
        make_method: returns the method for a preference: `lambda r: moblo.Forum(preference=r)`. With `order` it is
            called with two arguments, the preference and a dict of limits.
        points: how many (20); with three objectives the next of 3, 6, 10, 15, 21, 28, ...
        refine: half of the points as a spread, the others where the front has its widest gaps.
        rounds, tolerance: of refinement: how often at most (4); it ends where a round adds less than this share of the
            hypervolume (0.001).
        roots: points with a cold start (2); each other one begins at the end of the nearest before it.
        warm_iterations: iterations of those, as a share of `iterations` (0.3).
        order, slack: lexicographic instead of a spread: names of objectives, the most important first, and how much
            worse than its best each may become for the next ones; one number, or one each.
        reference_point: of the hypervolume; by default worse than every point by a tenth of the range.
        iterations: of a point with a cold start.
        folder: where front.json, front.csv and a run folder per point go. The same call goes on with what was begun.
        on_point: called with the `Front` so far after every point.

    The other arguments are those of `train`. Ctrl-C raises KeyboardInterrupt; with a folder the same call goes on.
    """
    slacks = [slack] if isinstance(slack, (int, float)) else slack
    options = {"points": points, "refine": refine, "rounds": rounds, "tolerance": tolerance, "roots": roots,
               "warm_iterations": warm_iterations, "order": None if order is None else list(order),
               "slack": None if slacks is None else list(slacks),
               "reference_point": None if reference_point is None else list(reference_point)}
    training = _training_options({
        "iterations": iterations, "checkpoint_every": checkpoint_every, "evaluate_every": evaluate_every,
        "record_every": record_every, "tensorboard": tensorboard, "select": select, "refit": refit,
        "refit_steps": refit_steps, "stop": stop, "optimiser": optimiser})
    for name, value in (("make_problem", make_problem), ("make_method", make_method)):
        if not callable(value):
            raise UsageError(f"a {type(value).__name__} was given as {name}. Give a function that returns a new one "
                             "each time")

    def method_for(preference: List[float], limits: Dict[str, float]) -> Tuple[str, Dict[str, Any]]:
        return name_and_options(make_method(preference, limits) if order else make_method(preference))

    def ended(record: Dict[str, Any]) -> None:
        if on_point:
            on_point(_as_front(record))

    path = None if folder is None else os.fspath(folder)
    resumed = path is not None and os.path.exists(os.path.join(path, "front.json"))

    def new_problem() -> AnyProblem:
        problem = make_problem()
        if resumed:
            _refuse_resume_of_iterables(problem, str(path))
        return problem

    record, summaries, problems, interrupted = _native.front(
        new_problem, method_for, {key: value for key, value in options.items() if value is not None}, training, path,
        ended if on_point else None)
    if interrupted:
        raise KeyboardInterrupt(f"interrupted in point {max(len(summaries) - 1, 0)}" + (
            f"; the same call goes on from {path}" if path else ""))
    found = _as_front(record, summaries, problems)
    for point in found.points:
        if point.summary is not None and not point.summary.succeeded:
            warnings.warn(f"point {point.index} ended as {point.status}: {point.summary.message}", RunWarning,
                          stacklevel=2)
    return found
