"""Loss weights that are learned, for a multi-task script that has hand-set ones."""
from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Union

import torch

from .methods import Forum, Method
from .optimisers import Adam
from .problem import Problem, Variables, add_variables
from .results import StepRecord
from .training import Optimisers, Solver

Losses = Union[Sequence[torch.Tensor], torch.Tensor]


def _stacked(losses: Losses) -> torch.Tensor:
    return losses if isinstance(losses, torch.Tensor) else torch.stack(list(losses))


class _TaskProblem(Problem):
    def __init__(self, tasks: int, model: Variables, dtype: torch.dtype) -> None:
        super().__init__()
        self.logits = torch.zeros(tasks, dtype=dtype)
        self.upper.add("logits", self.logits)
        add_variables(self.lower, "model", model)
        self.training_losses: Callable[[], Losses]
        self.validation_losses: Callable[[], Losses]

    def upper_losses(self, batch: Any) -> Losses:
        return self.validation_losses()

    def lower_loss(self, batch: Any) -> torch.Tensor:
        return torch.dot(torch.softmax(self.logits, 0), _stacked(self.training_losses()))

    def traits(self) -> Dict[str, bool]:
        return {"tasks": True}


class TaskWeights:
    """Weights of the task losses, learned from validation losses while the model is trained.

        weights = moblo.TaskWeights(tasks=2, model=net)
        for (x, y), (vx, vy) in zip(training, validation):
            weights.step(lambda: losses(net, x, y), lambda: losses(net, vx, vy))
        print(weights.values)

    alpha are the logits of the weights, f is the weighted training loss, F_i are the validation losses. A step moves
    the weights and the model: it takes the place of `backward()` and `optimiser.step()`.

    Args:
        tasks: m.
        model: all that the losses train: a module, or tensors and modules in a list.
        method: FORUM with 5 lower steps where nothing is given; any other method on two levels.
        optimiser: as of `moblo.train`; Adam with 1e-3 for the model and for the logits where nothing is given.
    """

    def __init__(self, tasks: int, model: Variables, method: Union[str, Method, None] = None, *,
                 optimiser: Optional[Optimisers] = None, iterations: int = 1000) -> None:
        first = model if isinstance(model, (torch.Tensor, torch.nn.Module)) else list(model)[0]
        example = first if isinstance(first, torch.Tensor) else next(first.parameters())
        self._problem = _TaskProblem(tasks, model, example.dtype)
        self._method = method if method is not None else Forum(inner_steps=5, inner_batches="one", rho=0.1)
        self._optimiser = optimiser if optimiser is not None else Adam(1e-3)
        self._iterations = iterations
        self._solver: Optional[Solver] = None
        self._state: Optional[Dict[str, Any]] = None

    @property
    def values(self) -> torch.Tensor:
        """The weights: (m,), above 0, of sum 1."""
        return torch.softmax(self._problem.logits.detach(), 0)

    def step(self, training_losses: Callable[[], Losses], validation_losses: Callable[[], Losses]) -> StepRecord:
        """One step of the weights and of the model.

        Args:
            training_losses: returns the m losses on the training batch at the present parameters; it is called several
                times, since a method on two levels looks at other points as well.
            validation_losses: likewise on a validation batch.
        """
        self._problem.training_losses, self._problem.validation_losses = training_losses, validation_losses
        if self._solver is None:
            self._solver = Solver(self._problem, self._method, optimiser=self._optimiser, iterations=self._iterations,
                                  state=self._state)
        return self._solver.step()

    def state_dict(self) -> Dict[str, Any]:
        """Weights, model, optimisers and method; load it before the first step."""
        return self._solver.state_dict() if self._solver is not None else {}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        self._solver, self._state = None, state or None
