"""What a run, a step and a check come back as: plain values that can be printed, compared and pickled."""
from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Optional, Tuple

import torch

SUCCEEDED = ("completed", "converged", "plateau", "time_limit")


@dataclass(frozen=True)
class StepRecord:
    """What was measured at z_k, before the step."""

    k: int
    losses: List[float]  # F_1 .. F_m
    lower_loss: float  # f
    q: float  # f(alpha, omega) - f(alpha, w_T)
    kkt: float  # squared length of the direction
    weights: List[float]  # of the objectives, smoothed
    solved_weights: List[float]  # as the QP gave them
    nu: float  # multiplier of grad q
    gradient_norms: List[float]
    conflict_cosines: List[float]
    qp_status: str
    qp_residual: float
    distance: Optional[float]  # to the solution set, where it is known


@dataclass(frozen=True)
class RefitModel:
    """Means over the same batches for both models."""

    losses: List[float]
    lower_loss: float
    metrics: Dict[str, float]


@dataclass(frozen=True)
class Refit:
    """What alpha alone is worth: the lower level solved again at the run's alpha, beside the joint model."""

    start: str  # "fresh" or "current"
    steps: int
    steps_of_model: int
    joint: RefitModel
    alone: RefitModel


def _model(given: Dict[str, Any]) -> RefitModel:
    return RefitModel(given["losses"], given["lower_loss"], dict(given.get("metrics") or {}))


def as_refit(given: Optional[Dict[str, Any]]) -> Optional[Refit]:
    if given is None:
        return None
    return Refit(given["from"], given["steps"], given.get("steps_of_model", given["steps"]), _model(given["joint"]),
                 _model(given["alone"]))


@dataclass(frozen=True)
class Summary:
    """How a run ended, and where. A notebook shows it as a table with curves."""

    status: str  # completed, converged, plateau, time_limit, interrupted, non_finite, failed
    message: str
    iterations: int
    seconds: float
    warnings: List[str]
    losses: List[float]  # F_1 .. F_m at the end
    lower_loss: float
    q: float
    kkt: float
    weights: List[float]
    nu: float
    alpha: List[float]  # of problems with at most 32 upper variables
    omega: List[float]  # likewise
    refit: Optional[Refit]
    objectives: List[str]
    distance: Optional[float]
    selected: Optional[Dict[str, Any]]  # the model that `select` chose: iteration and metrics
    history: Dict[str, torch.Tensor] = field(default_factory=dict, repr=False, compare=False)
    evaluations: List[Tuple[int, Dict[str, float]]] = field(default_factory=list, repr=False)

    @property
    def succeeded(self) -> bool:
        return self.status in SUCCEEDED

    def __repr__(self) -> str:
        losses = ", ".join(f"{name} {value:.6g}" for name, value in zip(self.objectives, self.losses))
        return (f"Summary({self.status} after {self.iterations} iterations in {self.seconds:.2f} s: {losses}; "
                f"f {self.lower_loss:.6g}, q {self.q:.3g}, K {self.kkt:.3g})")

    def _repr_html_(self) -> str:
        from ._html import page_of
        return page_of(self)


def as_summary(given: Dict[str, Any], history: Optional[Dict[str, torch.Tensor]] = None,
               evaluations: Optional[List[Tuple[int, Dict[str, float]]]] = None) -> Summary:
    known = {each.name for each in fields(Summary)}
    values = {key: value for key, value in given.items() if key in known}
    values["refit"] = as_refit(given["refit"])
    values["objectives"] = given["objectives"] or [f"F{i + 1}" for i in range(len(given["losses"]))]
    return Summary(**values, history=history or {}, evaluations=evaluations or [])


@dataclass(frozen=True)
class GradientCheckRow:
    """One coordinate of one loss whose gradient was compared."""

    loss: str
    parameter: str
    coordinate: int
    analytic: float
    numeric: float
    error: float


@dataclass(frozen=True)
class GradientCheck:
    """Autograd against central differences."""

    passed: bool
    largest_error: float
    compared: int
    worst: List[GradientCheckRow]  # one per loss and tensor

    def __repr__(self) -> str:
        lines = [f"gradients {'agree' if self.passed else 'DISAGREE'}: {self.compared} compared, largest error "
                 f"{self.largest_error:.1e}"]
        lines += [f"  {row.loss:6} {row.parameter} [{row.coordinate}]: {row.analytic:.8g}, by differences "
                  f"{row.numeric:.8g} ({row.error:.1e})" for row in self.worst]
        return "\n".join(lines)
