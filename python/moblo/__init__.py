"""Gradient-based multi-objective bi-level optimisation.

    min over alpha, omega of (F_1 .. F_m)(alpha, omega)   subject to   omega in argmin_w f(alpha, w)

Write a `Problem`, or call `minimise` with functions; keep your own loop with `Solver`, `backward` or `TaskWeights`.
"""
import torch as _torch

from . import _build


def _refuse_other_torch() -> None:
    if _torch.__version__ == _build.TORCH_VERSION:
        return
    raise ImportError(
        f"moblo was built with torch {_build.TORCH_VERSION}, and this interpreter has torch {_torch.__version__}: "
        "their memory layouts differ. Install moblo again with this interpreter: pip install --no-build-isolation PATH"
    )


_refuse_other_torch()
try:
    from . import _native
except ImportError as _error:
    raise ImportError(
        f"moblo's extension module cannot be loaded beside torch {_torch.__version__} from {_torch.__file__}: "
        f"{_error}. "
        "Install moblo again with this interpreter: pip install --no-build-isolation PATH"
    ) from _error

from . import methods, problems, weightings
from ._errors import (CheckpointError, DataError, Error, FileError, NumericError, OptionError, ProblemError, RankError,
                      RunWarning, UsageError)
from .batches import Batch, BatchPart, BatchStream, IterableBatches, TensorBatches
from .fronts import Front, FrontPoint, front
from .methods import *  # noqa: F403
from .methods import Method
from .optimisers import (SGD, Adam, AdamW, ConstantSchedule, CosineSchedule, Optimiser, PlateauSchedule, PowerSchedule,
                         Schedule, StepSchedule)
from .problem import ParameterPack, Problem
from .results import GradientCheck, GradientCheckRow, Refit, RefitModel, StepRecord, Summary
from .task_weights import TaskWeights
from .training import Solver, check_gradients, evaluate, minimise, refit, train
from .weightings import *  # noqa: F403
from .weightings import Weighting, aggregate, backward, weigh

__version__ = _build.VERSION

__all__ = [
    "Adam", "AdamW", "Batch", "BatchPart", "BatchStream", "CheckpointError", "ConstantSchedule", "CosineSchedule",
    "DataError", "Error", "FileError", "Front", "FrontPoint", "GradientCheck", "GradientCheckRow", "IterableBatches",
    "Method", "NumericError", "OptionError", "Optimiser", "ParameterPack", "PlateauSchedule", "PowerSchedule", "Problem", "ProblemError",
    "RankError", "Refit", "RefitModel", "RunWarning", "SGD", "Schedule", "Solver", "StepRecord", "StepSchedule", "Summary", "TaskWeights",
    "TensorBatches", "UsageError", "Weighting", "aggregate", "backward", "check_gradients", "evaluate", "front",
    "minimise", "problems", "refit", "train", "weigh"]
__all__ += methods.__all__
__all__ += weightings.__all__
