"""Problems: two losses over tensors and modules of your own."""
from __future__ import annotations

from typing import Any, List, Sequence, Union

import torch

from . import _native
from .batches import Batches, as_stream

ParameterPack = _native.ParameterPack


class Problem(_native.Problem):
    """min over (alpha, omega) of (F_1 .. F_m)(alpha, omega) subject to omega in argmin_w f(alpha, w).

    In `__init__`, call `super().__init__()`, then `self.upper.add(name, tensor_or_module)` for alpha and
    `self.lower.add(name, tensor_or_module)` for omega. Tensors and modules stay yours: they see every later value. A
    tensor with one row per sample is added with `self.upper.add_rows(name, table)` and read with
    `self.upper.rows(name, batch.indices)`.

    Mini-batches are optional: set `self.upper_batches` and `self.lower_batches` to `TensorBatches`, to a `BatchStream`
    of your own, or to any iterable (a DataLoader). Without them the losses are called with None.

    A subclass may also have `objective_names()`, `evaluate()` (metrics by name), `distance_to_solution_set()`,
    `traits()`, `shared_columns()` and `provenance()`.
    """

    def upper_losses(self, batch: Any) -> Union[Sequence[torch.Tensor], torch.Tensor]:
        """F_1 .. F_m: a list of scalar tensors, or one tensor of m values."""
        raise NotImplementedError("a Problem needs a method upper_losses(batch) that returns [F_1, .., F_m]")

    def lower_loss(self, batch: Any) -> torch.Tensor:
        """f: a scalar tensor."""
        raise NotImplementedError("a Problem needs a method lower_loss(batch) that returns a scalar tensor")

    # Any, since type checkers take the setters' type from here, and any iterable can be set. Read, it is a stream or
    # None.
    @property
    def upper_batches(self) -> Any:
        """The stream that the upper losses read, or None."""
        return self.__dict__.get("_upper_stream")

    @upper_batches.setter
    def upper_batches(self, batches: Batches) -> None:
        stream = as_stream(batches)
        self.__dict__["_upper_stream"] = stream
        self._set_upper_batches(stream)

    @property
    def lower_batches(self) -> Any:
        """The stream that the lower loss reads, or None."""
        return self.__dict__.get("_lower_stream")

    @lower_batches.setter
    def lower_batches(self, batches: Batches) -> None:
        stream = as_stream(batches)
        self.__dict__["_lower_stream"] = stream
        self._set_lower_batches(stream)


Variables = Union[torch.Tensor, torch.nn.Module, Sequence[Union[torch.Tensor, torch.nn.Module]]]


def add_variables(pack: ParameterPack, stem: str, variables: Variables) -> None:
    """A tensor or module by its stem; several by stem and number."""
    if isinstance(variables, (torch.Tensor, torch.nn.Module)):
        pack.add(stem, variables)
        return
    several: List[Union[torch.Tensor, torch.nn.Module]] = list(variables)
    for number, each in enumerate(several):
        pack.add(f"{stem}.{number}", each)
