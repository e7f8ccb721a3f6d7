"""Mini-batches: what losses are evaluated on."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Tuple, Union

import torch

from . import _native
from ._errors import DataError

Batch = _native.Batch
BatchPart = _native.BatchPart
Dataset = Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor], "torch.utils.data.TensorDataset"]


class BatchStream(_native.PythonBatches):
    """A stream of your own: batch `number` must be a function of the number alone, so that a run can be resumed.

    Override `at`; what it returns is what the losses are called with.
    """

    def at(self, number: int) -> Any:
        raise NotImplementedError("a BatchStream needs a method at(number) that returns a batch")

    def epoch_length(self) -> int:
        """How many batches make an epoch."""
        return 1

    def release_before(self, number: int) -> None:
        """No batch before this number will be asked for again."""


def _pair(dataset: Dataset) -> Tuple[torch.Tensor, torch.Tensor]:
    if isinstance(dataset, torch.Tensor):
        return dataset, torch.zeros(len(dataset), dtype=torch.int64)
    tensors: Sequence[torch.Tensor] = getattr(dataset, "tensors", dataset)  # type: ignore[arg-type]
    if len(tensors) != 2 or not all(isinstance(tensor, torch.Tensor) for tensor in tensors):
        raise DataError("a dataset must be a pair (inputs, targets) of tensors, or one tensor of inputs")
    return tensors[0], tensors[1]


class TensorBatches(_native.TensorBatches):
    """Shuffled mini-batches of tensors in memory; a function of the seed, so that runs resume to the same bits.

    Args:
        datasets: (inputs, targets), samples along the first dimension, or a list of several such datasets, of each of
            which a batch has `batch_size` samples.
        batch_size: samples of each dataset in a batch.
        seed: decides the order.

    The losses get a `Batch` with `inputs`, `targets` and `indices` (which samples they are), or, where there are
    several datasets, with `parts`, which have the same.
    """

    def __init__(self, datasets: Union[Dataset, Sequence[Dataset]], batch_size: int, seed: int = 0) -> None:
        several = isinstance(datasets, list)
        each: Sequence[Dataset] = datasets if several else [datasets]  # type: ignore[list-item,assignment]
        super().__init__([_pair(one) for one in each], batch_size, seed)


class IterableBatches(BatchStream):
    """Any Python iterable (a list, a DataLoader), begun again at its end. Such a run cannot be resumed: where an
    iterable would go on is not known."""

    KEPT_FOR_LATER = 128  # a refit measures two models on the same batches, 64 of each stream

    def __init__(self, iterable: Iterable[Any]) -> None:
        super().__init__()
        self._iterable = iterable
        self._iterator: Optional[Iterator[Any]] = None
        self._kept: OrderedDict[int, Any] = OrderedDict()
        self._undoable_from = 0

    def at(self, number: int) -> Any:
        if number not in self._kept:
            self._kept[number] = self._next()
            self._forget()
        return self._kept[number]

    def epoch_length(self) -> int:
        try:
            return max(1, len(self._iterable))  # type: ignore[arg-type]
        except TypeError:
            return 1

    def release_before(self, number: int) -> None:
        self._undoable_from = number
        for old in [kept for kept in self._kept if kept < number]:
            del self._kept[old]

    def _forget(self) -> None:
        old = [kept for kept in self._kept if kept < self._undoable_from]
        for number in old[:max(0, len(old) - self.KEPT_FOR_LATER)]:
            del self._kept[number]

    def _next(self) -> Any:
        if self._iterator is not None:
            for batch in self._iterator:
                return batch
        begun = iter(self._iterable)
        if begun is self._iterator:
            raise DataError("the iterator of batches has come to its end, and a run may need more. Give something that "
                            "can be iterated again: a list, a DataLoader, or an object with __iter__")
        self._iterator = begun
        for batch in self._iterator:
            return batch
        raise DataError("the iterable of batches is empty. Give at least one batch")


Batches = Union[_native.BatchStream, Iterable[Any]]


def as_stream(batches: Batches) -> _native.BatchStream:
    if isinstance(batches, _native.BatchStream):
        return batches
    if isinstance(batches, torch.Tensor) or not hasattr(batches, "__iter__"):
        raise DataError(f"batches of type {type(batches).__name__}: must be a BatchStream or an iterable of batches. "
                        "Give moblo.TensorBatches((inputs, targets), batch_size) or a DataLoader")
    return IterableBatches(batches)
