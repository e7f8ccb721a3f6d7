"""A bi-level problem of your own: two losses, a few tensors, one call to solve it.

Ridge regression whose regularisation strength is learned: the lower level fits w on training data,
    f(a, w) = |X w - y|^2 / N + exp(a) |w|^2,
the upper level asks for small errors on two validation sets at once. Copy this file and change the losses.
"""
from __future__ import annotations

from typing import List, Tuple

import torch
from torch import Tensor

import moblo

Data = Tuple[Tensor, Tensor]


def draw(samples: int, truth: Tensor) -> Data:
    x = torch.randn(samples, len(truth), dtype=truth.dtype)
    return x, x @ truth + 2 * torch.randn(samples, dtype=truth.dtype)


class LearnedRidge(moblo.Problem):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        truth = torch.randn(20, dtype=torch.float64)
        self.train, self.first = draw(30, truth), draw(50, truth)
        self.second = draw(50, truth + 0.3 * torch.randn_like(truth))
        self.strength = torch.full((1,), -6.0, dtype=torch.float64)  # its logarithm, so that it stays positive
        self.w = torch.zeros(20, dtype=torch.float64)
        self.upper.add("log strength", self.strength)
        self.lower.add("w", self.w)

    def error(self, data: Data) -> Tensor:
        x, y = data
        return (x @ self.w - y).square().mean()

    def upper_losses(self, batch: None) -> List[Tensor]:
        return [self.error(self.first), self.error(self.second)]

    def lower_loss(self, batch: None) -> Tensor:
        return self.error(self.train) + self.strength.exp().sum() * self.w.square().sum()

    def objective_names(self) -> List[str]:
        return ["first set", "second set"]


def main() -> None:
    problem = LearnedRidge()
    print(moblo.check_gradients(problem))
    falling = moblo.PowerSchedule(power=0.5)  # (k + 1)^-1/2
    summary = moblo.train(
        problem, moblo.Forum(inner_steps=20, inner_step_size=0.1, rho=0.5), iterations=3000,
        optimiser={"alpha": moblo.Adam(0.05, schedule=falling), "omega": moblo.SGD(0.1, schedule=falling)})
    print(summary)
    print(f"strength {problem.strength.exp().item():.4f}")
    if summary.refit:  # w fitted once more with the learned strength alone, without the help of the upper losses
        print("with w fitted again:", ", ".join(f"{loss:.4f}" for loss in summary.refit.alone.losses))


if __name__ == "__main__":
    main()
