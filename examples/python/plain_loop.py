"""A loop of your own around `moblo.Solver`: your stopping rule, your logging, your checkpoints.

A weight decay per layer is learned while a network is trained; two validation losses. The loop stops when the sum of
both has not become smaller for 40 steps, and shows that a saved solver goes on where it was.
"""
from __future__ import annotations

import pathlib
import tempfile
from typing import List

import torch
from torch import Tensor, nn

import moblo


class Decays(moblo.Problem):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1))
        self.decays = nn.Parameter(torch.full((2,), -6.0))  # logarithms, one per layer
        self.upper.add("decays", self.decays)
        self.lower.add("net", self.net)
        x = torch.randn(400, 10)
        y = torch.sin(x[:, :2].sum(1, keepdim=True)) + 0.5 * torch.randn(400, 1)
        self.lower_batches = moblo.TensorBatches((x[:100], y[:100]), batch_size=50, seed=1)
        self.upper_batches = moblo.TensorBatches((x[100:], y[100:]), batch_size=300, seed=2)

    def error(self, batch: moblo.Batch) -> Tensor:
        predicted: Tensor = self.net(batch.inputs)
        return predicted - batch.targets

    def upper_losses(self, batch: moblo.Batch) -> List[Tensor]:
        error = self.error(batch)
        return [error.square().mean(), error.abs().mean()]

    def lower_loss(self, batch: moblo.Batch) -> Tensor:
        sizes = torch.stack([layer.weight.square().sum() for layer in self.net if isinstance(layer, nn.Linear)])
        return self.error(batch).square().mean() + torch.dot(self.decays.exp(), sizes)


def main() -> None:
    torch.set_num_threads(1)
    problem = Decays()
    method = moblo.MOML(inner_steps=10, inner_step_size=0.05, weighting="upgrad")
    optimiser = {"alpha": moblo.Adam(0.05), "omega": moblo.SGD(0.05)}
    solver = moblo.Solver(problem, method, optimiser=optimiser)
    best, since = float("inf"), 0
    while since < 40 and solver.iterations < 400:
        record = solver.step()
        since = since + 1 if sum(record.losses) >= best else 0
        best = min(best, sum(record.losses))
        if record.k % 50 == 0:
            print(f"{record.k:4} F {record.losses[0]:.4f} {record.losses[1]:.4f}  f {record.lower_loss:.4f}  "
                  f"decays {' '.join(f'{value:.4f}' for value in problem.decays.exp().tolist())}")
    print(f"stopped after {solver.iterations} steps: {solver.summary()}")

    with tempfile.TemporaryDirectory() as folder:
        torch.save(solver.state_dict(), pathlib.Path(folder) / "solver.pt")
        state = torch.load(pathlib.Path(folder) / "solver.pt")
    expected = [solver.step().losses for _ in range(3)]
    again = moblo.Solver(Decays(), method, optimiser=optimiser, state=state)
    print("the saved solver goes on with the same numbers:", [again.step().losses for _ in range(3)] == expected)


if __name__ == "__main__":
    main()
