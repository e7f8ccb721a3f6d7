"""Optimisers of the two levels, and schedules of their step sizes. Ranges are checked when they are made."""
from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Dict, Optional, Tuple

from . import _native


@dataclass(frozen=True)
class Schedule:
    """A factor on the step size, by iteration."""

    warmup: int = 0  # iterations of linear growth before all of it
    kind: ClassVar[str] = "constant"

    def _as_options(self) -> Dict[str, Any]:
        return {"kind": self.kind, **asdict(self)}


@dataclass(frozen=True)
class ConstantSchedule(Schedule):
    """1, after the warm-up."""


@dataclass(frozen=True)
class StepSchedule(Schedule):
    """Multiplied by `factor` after every `every` iterations."""

    every: int = 100
    factor: float = 0.5
    kind: ClassVar[str] = "step"


@dataclass(frozen=True)
class CosineSchedule(Schedule):
    """Half a cosine over the run, down to `floor`."""

    floor: float = 0.0
    kind: ClassVar[str] = "cosine"


@dataclass(frozen=True)
class PowerSchedule(Schedule):
    """(k + 1)^-power."""

    power: float = 0.5
    kind: ClassVar[str] = "power"


@dataclass(frozen=True)
class PlateauSchedule(Schedule):
    """Multiplied by `factor` after `patience` evaluations without a better model, down to `floor`."""

    factor: float = 0.5
    patience: int = 5
    floor: float = 0.0
    kind: ClassVar[str] = "plateau"


class Optimiser:
    """Base of SGD, Adam and AdamW."""

    def __init__(self, kind: str, options: Dict[str, Any], schedule: Optional[Schedule]) -> None:
        self._given: Dict[str, Any] = {"kind": kind, **options}
        if schedule is not None:
            self._given["schedule"] = schedule._as_options()
        self.options: Dict[str, Any] = _native.resolve_optimiser(self._given)

    def _as_options(self) -> Dict[str, Any]:
        return self._given

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self._given.items() if key != "kind")
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Optimiser) and self.options == other.options

    def __hash__(self) -> int:
        return hash(repr(sorted(self.options.items())))


class SGD(Optimiser):
    """Gradient descent, with momentum where it is given."""

    def __init__(self, step_size: float = 0.1, momentum: float = 0.0, weight_decay: float = 0.0, clip: float = 0.0,
                 schedule: Optional[Schedule] = None) -> None:
        options: Dict[str, Any] = {"step_size": step_size, "weight_decay": weight_decay, "clip": clip}
        if momentum:
            options["momentum"] = momentum
        super().__init__("momentum" if momentum else "sgd", options, schedule)


class Adam(Optimiser):
    """Adam, as torch.optim.Adam."""

    _kind = "adam"

    def __init__(self, step_size: float = 1e-3, betas: Tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8,
                 weight_decay: float = 0.0, clip: float = 0.0, schedule: Optional[Schedule] = None) -> None:
        super().__init__(self._kind, {"step_size": step_size, "beta1": betas[0], "beta2": betas[1], "epsilon": epsilon,
                                      "weight_decay": weight_decay, "clip": clip}, schedule)


class AdamW(Adam):
    """Adam whose weight decay shrinks the values beside the step."""

    _kind = "adamw"
