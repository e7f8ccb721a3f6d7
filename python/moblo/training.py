"""Runs: whole ones, step by step, and what to ask of their results."""
from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import torch

from . import _native
from ._errors import CheckpointError, OptionError, RunWarning, UsageError
from .batches import Batches, IterableBatches
from .methods import Method, name_and_options
from .optimisers import Optimiser
from .problem import Problem, Variables, add_variables
from .results import GradientCheck, GradientCheckRow, Refit, StepRecord, Summary, as_refit, as_summary
from .weightings import Weighting

AnyProblem = _native.AnyProblem
AnyMethod = Union[str, Method, Weighting]
OneOptimiser = Union[Optimiser, Mapping[str, Any]]
Optimisers = Union[OneOptimiser, Mapping[str, OneOptimiser]]
OnStep = Callable[[StepRecord], Optional[bool]]
OnEvaluation = Callable[[int, Dict[str, float]], Optional[bool]]
Loss = Callable[..., torch.Tensor]


def _pair_of(optimiser: Optional[Optimisers]) -> Dict[str, Any]:
    """{"alpha": ..., "omega": ...} from one optimiser for both levels, or one for each."""
    if optimiser is None:
        return {}
    if isinstance(optimiser, Optimiser):
        return {"alpha": optimiser, "omega": optimiser}
    unknown = set(optimiser) - {"alpha", "omega"}
    if "kind" in unknown or "step_size" in unknown:
        return {"alpha": dict(optimiser), "omega": dict(optimiser)}
    if unknown:
        raise OptionError(f"optimiser has the key {sorted(unknown)[0]!r}: there are two levels, \"alpha\" and "
                          "\"omega\". Give an optimiser for both, or a dict with one for each")
    return dict(optimiser)


def _training_options(given: Dict[str, Any]) -> Dict[str, Any]:
    options = {key: value for key, value in given.items() if value is not None}
    optimisers = _pair_of(options.pop("optimiser", None))
    if optimisers:
        options["optimiser"] = optimisers
    return options


class _Progress:
    """One line on a terminal, rewritten; otherwise ten lines in all."""

    def __init__(self, name: str, iterations: int) -> None:
        self._name, self._iterations = name, iterations
        self._begun = time.monotonic()
        self._shown, self._first = 0.0, -1
        self._terminal = sys.stderr.isatty()

    def __call__(self, record: StepRecord) -> None:
        if self._first < 0:
            self._first = record.k
        done, now = record.k + 1, time.monotonic()
        if self._terminal:
            due = now - self._shown > 0.2
        else:
            due = done * 10 // self._iterations > record.k * 10 // self._iterations
        if not due and done < self._iterations:
            return
        self._shown = now
        rate = (done - self._first) / max(now - self._begun, 1e-9)
        left = (self._iterations - done) / max(rate, 1e-9)
        losses = " ".join(f"{loss:.4g}" for loss in record.losses[:4]) + (" .." if len(record.losses) > 4 else "")
        line = (f"{self._name} {done:,}/{self._iterations:,}  {rate:,.0f}/s  {left:.0f} s left  F {losses}  "
                f"q {record.q:.2g}")
        end = "\n" if not self._terminal or done == self._iterations else "\r"
        print(line.ljust(100) if self._terminal else line, file=sys.stderr, end=end, flush=True)


def _refuse_resume_of_iterables(problem: AnyProblem, holder: str) -> None:
    for level in ("upper_batches", "lower_batches"):
        if isinstance(getattr(problem, level, None), IterableBatches):
            raise CheckpointError(
                f"{holder} holds a run, and problem.{level} is an iterable: where it would go on is not known, so the "
                "resumed run would not equal the uninterrupted one. Take moblo.TensorBatches or a moblo.BatchStream, "
                "or "
                "begin anew")


def train(problem: AnyProblem, method: AnyMethod = "forum", *, iterations: int = 1000, folder: Optional[Any] = None,
          progress: bool = False, on_step: Optional[OnStep] = None, on_evaluation: Optional[OnEvaluation] = None,
          optimiser: Optional[Optimisers] = None, checkpoint_every: Optional[int] = None,
          evaluate_every: Optional[int] = None, record_every: Optional[int] = None,
          tensorboard: Optional[bool] = None, select: Optional[str] = None, refit: Optional[str] = None,
          refit_steps: Optional[int] = None, stop: Optional[Mapping[str, Any]] = None) -> Summary:
    """Runs a method on a problem.

    Args:
        problem: a `Problem` of your own, or one of `moblo.problems`. Its tensors and modules hold the result.
        method: an object (`moblo.Forum(rho=0.5)`), a weighting (`moblo.UPGrad()`: training on one level) or a name.
        iterations: K.
        folder: where manifest, records, checkpoints and model go, as `moblo report` reads them. Where it holds a run of
            this method on this problem, the run goes on from its last checkpoint, to the same bits.
        progress: a line on standard error.
        on_step: called with a `StepRecord` after every `record_every`-th iteration; return False to stop. The record
            is of the point before the step, the tensors are those after it.
        on_evaluation: called with the iteration and the metrics of `problem.evaluate()`; return False to stop.
        optimiser: one for both levels (`moblo.Adam(1e-3)`), or {"alpha": ..., "omega": ...}; plain SGD with step 0.1
            where nothing is given.
        checkpoint_every, evaluate_every, record_every: iterations between two of them.
        tensorboard: an event file in the folder.
        select: the metric by which the best model is kept; with a minus before it the smallest counts.
        refit: "fresh", "current" or "off": how the lower level is solved again at the end.
        refit_steps: lower steps of that.
        stop: {"kkt": .., "q": .., "patience": .., "min_progress": .., "seconds": .., "gradients": ..}.

    Returns:
        A `Summary`. A run that ended badly (values that are not finite) says so in `status`, and by a RunWarning.

    Ctrl-C ends it with the state before the iteration (in the folder, and in the tensors) and raises KeyboardInterrupt.
    An exception in a loss arrives as it is, with the state saved likewise.
    """
    name, method_options = name_and_options(method)
    options = _training_options({
        "iterations": iterations, "checkpoint_every": checkpoint_every, "evaluate_every": evaluate_every,
        "record_every": record_every, "tensorboard": tensorboard, "select": select, "refit": refit,
        "refit_steps": refit_steps, "stop": stop, "optimiser": optimiser})
    observers: List[OnStep] = [each for each in (on_step, _Progress(name, iterations) if progress else None) if each]

    def stepped(record: Dict[str, Any]) -> bool:
        seen = StepRecord(**record)
        return not any([observer(seen) is False for observer in observers])

    def evaluated(evaluation: Tuple[int, Dict[str, float]]) -> Optional[bool]:
        return on_evaluation(*evaluation) if on_evaluation else None

    path = None if folder is None else os.fspath(folder)
    if path is not None and os.path.isdir(path) and _native.has_checkpoint(path):
        _refuse_resume_of_iterables(problem, path)
    ended, history, evaluations, interrupted = _native.train(
        problem, name, method_options, options, path, stepped if observers else None,
        evaluated if on_evaluation else None)
    if interrupted:
        raise KeyboardInterrupt(f"interrupted before iteration {ended['iterations']}" + (
            f"; the same call goes on from {path}" if path else ""))
    summary = as_summary(ended, history, evaluations)
    for warning in summary.warnings:
        warnings.warn(warning, RunWarning, stacklevel=2)
    if not summary.succeeded and summary.status != "interrupted":
        warnings.warn(f"the run ended as {summary.status}: {summary.message}", RunWarning, stacklevel=2)
    return summary


class Solver:
    """The same, one step at a time, in a loop of your own. So many steps give the numbers of as many iterations.

    Args:
        problem, method: as of `train`; they belong to this solver while it lives.
        optimiser: as of `train`.
        iterations: up to where schedules count; steps may go on beyond.
        state: what `state_dict()` of an earlier solver gave.
    """

    def __init__(self, problem: AnyProblem, method: AnyMethod = "forum", *, optimiser: Optional[Optimisers] = None,
                 iterations: int = 1000, state: Optional[Dict[str, Any]] = None) -> None:
        name, method_options = name_and_options(method)
        if state is not None:
            _refuse_resume_of_iterables(problem, "the state")
        self.problem = problem
        self._native = _native.Solver(problem, name, method_options,
                                      _training_options({"iterations": iterations, "optimiser": optimiser}), state)

    def step(self) -> StepRecord:
        """z_k -> z_{k+1}; returns what was measured at z_k. Where a loss raises, nothing has moved."""
        return StepRecord(**self._native.step())

    @property
    def iterations(self) -> int:
        """Steps made."""
        return self._native.k

    def summary(self) -> Summary:
        """The present point; nothing moves."""
        return as_summary(self._native.summary())

    def state_dict(self) -> Dict[str, Any]:
        """All that later steps depend on; for torch.save."""
        return self._native.save()


class _Functions(Problem):
    """A problem made of functions; those of a level with batches are called with one."""

    def __init__(self, upper: Union[Loss, Sequence[Loss]], lower: Loss, alpha: Variables, omega: Variables,
                 upper_batches: Optional[Batches], lower_batches: Optional[Batches]) -> None:
        super().__init__()
        self._upper = [upper] if callable(upper) else list(upper)
        self._lower = lower
        for function in [*self._upper, lower]:
            if not callable(function):
                raise UsageError(f"a {type(function).__name__} was given as a loss. Give functions that return a "
                                 "scalar tensor")
        add_variables(self.upper, "alpha", alpha)
        add_variables(self.lower, "omega", omega)
        if upper_batches is not None:
            self.upper_batches = upper_batches
        if lower_batches is not None:
            self.lower_batches = lower_batches

    def upper_losses(self, batch: Any) -> Union[Sequence[torch.Tensor], torch.Tensor]:
        arguments = [] if self.upper_batches is None else [batch]
        if len(self._upper) == 1:
            return self._upper[0](*arguments)
        return [function(*arguments) for function in self._upper]

    def lower_loss(self, batch: Any) -> torch.Tensor:
        return self._lower(*([] if self.lower_batches is None else [batch]))


def minimise(upper: Union[Loss, Sequence[Loss]], lower: Loss, alpha: Variables, omega: Variables,
             method: AnyMethod = "forum", *, upper_batches: Optional[Batches] = None,
             lower_batches: Optional[Batches] = None, **options: Any) -> Summary:
    """`train` on a problem made of functions.

    Args:
        upper: a function for each F_i, or one that returns several; called with a batch where `upper_batches` is given,
            otherwise without arguments.
        lower: f, likewise.
        alpha: the upper variables: tensors or modules.
        omega: the lower ones, likewise. All hold the result afterwards.
        options: those of `train`.
    """
    return train(_Functions(upper, lower, alpha, omega, upper_batches, lower_batches), method, **options)


def refit(problem: AnyProblem, *, steps: int = 1000, optimiser: Optional[OneOptimiser] = None,
          select: Optional[str] = None, evaluations: Optional[int] = None, most_batches: Optional[int] = None,
          seconds: Optional[float] = None) -> Optional[Refit]:
    """What alpha alone is worth: trains omega on f(alpha, .) from where it is and measures both models; everything is
    left as it was. None where `seconds` are too few for a step."""
    given = {"steps": steps, "optimiser": optimiser, "select": select, "evaluations": evaluations,
             "most_batches": most_batches, "seconds": seconds}
    return as_refit(_native.refit(problem, {key: value for key, value in given.items() if value is not None}))


def evaluate(problem: AnyProblem) -> Dict[str, float]:
    """The problem's metrics of the present model, by name."""
    return _native.evaluate(problem)


def check_gradients(problem: AnyProblem, *, coordinates: int = 64, seed: int = 0,
                    tolerance: Optional[float] = None) -> GradientCheck:
    """Compares autograd with central differences, for every loss and every tensor of both levels."""
    found = _native.check_gradients(problem, coordinates, seed, tolerance)
    return GradientCheck(found["passed"], found["largest_error"], found["compared"],
                         [GradientCheckRow(**row) for row in found["worst"]])
