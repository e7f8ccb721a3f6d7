"""The same as own_problem.py without a class: functions over tensors that you hold."""
from __future__ import annotations

from typing import Tuple

import torch
from torch import Tensor

import moblo


def draw(samples: int, truth: Tensor) -> Tuple[Tensor, Tensor]:
    x = torch.randn(samples, len(truth), dtype=truth.dtype)
    return x, x @ truth + 2 * torch.randn(samples, dtype=truth.dtype)


def main() -> None:
    torch.manual_seed(0)
    truth = torch.randn(20, dtype=torch.float64)
    train, first, second = draw(30, truth), draw(50, truth), draw(50, truth + 0.3 * torch.randn_like(truth))
    strength = torch.full((1,), -6.0, dtype=torch.float64)
    w = torch.zeros(20, dtype=torch.float64)

    def error(data: Tuple[Tensor, Tensor]) -> Tensor:
        x, y = data
        return (x @ w - y).square().mean()

    falling = moblo.PowerSchedule(power=0.5)
    summary = moblo.minimise(
        upper=[lambda: error(first), lambda: error(second)],
        lower=lambda: error(train) + strength.exp().sum() * w.square().sum(),
        alpha=strength, omega=w, method=moblo.Forum(inner_steps=20, inner_step_size=0.1, rho=0.5), iterations=1000,
        optimiser={"alpha": moblo.Adam(0.05, schedule=falling), "omega": moblo.SGD(0.1, schedule=falling)})
    print(summary)
    print(f"strength {strength.exp().item():.4f}, |w| {w.norm().item():.4f}")


if __name__ == "__main__":
    main()
