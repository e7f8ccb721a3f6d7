"""Weightings of task gradients, for a training loop of your own: one line instead of `loss.sum().backward()`."""
from __future__ import annotations

from typing import Any, ClassVar, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import torch

from . import _native
from ._classes import class_name, make_class, shown
from ._errors import DataError, UsageError

Parameters = Union[torch.nn.Module, torch.Tensor, Iterable[torch.Tensor]]


class Weighting:
    """How the gradients of several tasks become one direction, with what it carries from step to step.

    One object belongs to one training loop. `status` and `residual` tell how the small problem behind the last weights
    was solved.
    """

    name: ClassVar[str] = ""

    def __init__(self, **options: Any) -> None:
        if not self.name:
            raise UsageError("Weighting has no algorithm of its own. Take one of its subclasses, such as moblo.UPGrad")
        self._given = options
        self._native = _native.Weighting(self.name, options)

    @property
    def options(self) -> Dict[str, Any]:
        return self._native.options

    @property
    def status(self) -> str:
        return self._native.status

    @property
    def residual(self) -> float:
        return self._native.residual

    def observe(self, losses: Union[Sequence[torch.Tensor], torch.Tensor]) -> None:
        """For FAMO: the losses of the same batch after the optimiser's step."""
        self._native.observe(_stacked(losses))

    def state_dict(self) -> Dict[str, Any]:
        return {"name": self.name, "options": self.options, **self._native.save()}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        if state.get("name") != self.name or state.get("options") != self.options:
            raise UsageError(f"the state of {state.get('name')} with options {state.get('options')} was given to "
                             f"{self.name} with {self.options}. Load it into a weighting made with the same options")
        self._native.restore(state)

    def _as_method(self) -> None:
        """Marks what can be given as a method."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._given)})"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _remade, (self.name, self._given, self._native.save())


_classes: Dict[str, type] = {}
for _info in _native.catalogue()["weightings"]:
    _classes[_info["name"]] = make_class(_info, Weighting, __name__)
    globals()[class_name(_info["name"])] = _classes[_info["name"]]

__all__ = [class_name(name) for name in _classes]


def _remade(name: str, options: Dict[str, Any], state: Dict[str, Any]) -> Any:
    made = _classes[name](**options)
    made._native.restore(state)
    return made


def as_weighting(weighting: Union[str, Weighting]) -> Weighting:
    if isinstance(weighting, Weighting):
        return weighting
    if isinstance(weighting, str):
        if weighting in _classes:
            return _classes[weighting]()  # type: ignore[no-any-return]
        _native.Weighting(weighting, {})  # refuses it, and names the nearest
    if isinstance(weighting, type) and issubclass(weighting, Weighting):
        raise UsageError(f"the class {weighting.__name__} was given as weighting. Make one of it: "
                         f"{weighting.__name__}()")
    raise UsageError(f"a {type(weighting).__name__} was given as weighting. Give a name (\"upgrad\") or an object "
                     "(moblo.UPGrad())")


def _stacked(losses: Union[Sequence[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    if isinstance(losses, torch.Tensor):
        return losses.detach()
    return torch.stack([torch.as_tensor(loss).detach() for loss in losses])


def _tensors(parameters: Parameters) -> List[torch.Tensor]:
    if isinstance(parameters, torch.Tensor):
        return [parameters]
    if isinstance(parameters, torch.nn.Module):
        return [parameter for parameter in parameters.parameters() if parameter.requires_grad]
    found: List[torch.Tensor] = []
    for each in parameters:
        found += _tensors(each)
    return found


def backward(losses: Union[Sequence[torch.Tensor], torch.Tensor], shared: Parameters,
             heads: Optional[Sequence[Parameters]] = None, weighting: Union[str, Weighting] = "upgrad",
             epoch_length: int = 1) -> torch.Tensor:
    """Fills `.grad`, where a plain loop has `sum(losses).backward()`; any torch optimiser goes on from there.

    Args:
        losses: m scalar tensors, or one tensor of m values. For MoDo and SDMGrad, which need several independent
            batches, the losses of the first batch, then those of the second, and so on.
        shared: what all tasks share: a module, or tensors. Tasks are weighed by their gradients by these.
        heads: one module (or list of tensors) per task, which only its own loss reads.
        weighting: an object (`moblo.UPGrad()`), which keeps its state from call to call, or a name for one without.
        epoch_length: how many calls make an epoch, for weightings that look at epochs (DWA).

    Returns:
        The weights of the shared gradients, float64, one per loss.

    Gradients are added to those that are there, so call `optimiser.zero_grad()` as usual. The graph is freed.
    """
    each = list(losses.unbind() if isinstance(losses, torch.Tensor) and losses.dim() == 1 else losses)
    if not all(isinstance(loss, torch.Tensor) for loss in each):
        raise DataError("losses must be tensors, computed from the parameters. Give them without item()")
    return as_weighting(weighting)._native.backward(each, _tensors(shared), [_tensors(head) for head in heads or []],
                                                    epoch_length)


def aggregate(jacobian: torch.Tensor, weighting: Union[str, Weighting] = "upgrad",
              losses: Optional[Union[Sequence[torch.Tensor], torch.Tensor]] = None,
              epoch_length: int = 1) -> torch.Tensor:
    """One direction from a matrix of gradients: (m, n) -> (n,), of the matrix' type. Descend along its negative."""
    given = None if losses is None else _stacked(losses)
    return as_weighting(weighting)._native.aggregate(jacobian, given, epoch_length)


def weigh(gramian: torch.Tensor, weighting: Union[str, Weighting] = "upgrad",
          losses: Optional[Union[Sequence[torch.Tensor], torch.Tensor]] = None, epoch_length: int = 1) -> torch.Tensor:
    """Weights from the products of gradients, J @ J.T: (m, m) -> (m,), float64."""
    given = None if losses is None else _stacked(losses)
    return as_weighting(weighting)._native.weigh(gramian, given, epoch_length)
