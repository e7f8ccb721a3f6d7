"""A multi-task script that exists already, and the one line of it that changes.

Three regression tasks share a small trunk. Their losses are of different size, so that their plain sum is mostly the
largest one. `train` is an ordinary PyTorch loop; with a weighting it calls `moblo.backward` where it had
`sum(losses).backward()`. Model, data, optimiser and schedule stay as they were.
"""
from __future__ import annotations

from typing import List, Optional, Tuple

import torch
from torch import Tensor, nn

import moblo

SCALES = (1.0, 3.0, 10.0)  # of the targets; losses differ by their squares


class MultiTask(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 6), nn.ReLU())
        self.heads = nn.ModuleList(nn.Linear(6, 1) for _ in SCALES)

    def forward(self, x: Tensor) -> Tensor:
        shared = self.trunk(x)
        return torch.cat([head(shared) for head in self.heads], 1)


def targets(x: Tensor) -> Tensor:
    """Each task reads other inputs: they compete for the narrow trunk."""
    parts = [torch.sin(x[:, 5 * i:5 * i + 5].sum(1)) + 0.3 * x[:, 15:].sum(1) for i in range(len(SCALES))]
    return torch.stack([scale * part for scale, part in zip(SCALES, parts)], 1)


def losses_of(net: nn.Module, x: Tensor, y: Tensor) -> List[Tensor]:
    return list((net(x) - y).square().mean(0).unbind())


def train(weighting: Optional[moblo.Weighting], x: Tensor, y: Tensor, steps: int = 1000) -> MultiTask:
    torch.manual_seed(0)
    net = MultiTask()
    optimiser = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(steps):
        batch = torch.randint(len(x), (128,))
        losses = losses_of(net, x[batch], y[batch])
        optimiser.zero_grad()
        if weighting is None:
            torch.stack(losses).sum().backward()
        else:
            moblo.backward(losses, shared=net.trunk, heads=list(net.heads), weighting=weighting)
        optimiser.step()
    return net


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    x, test_x = torch.randn(4000, 20), torch.randn(2000, 20)
    y, test_y = targets(x), targets(test_x)
    variance = test_y.var(0)
    print("explained variance on test data, per task, and the worst of them")
    runs: List[Tuple[str, Optional[moblo.Weighting]]] = [
        ("sum", None), ("UPGrad", moblo.UPGrad()), ("Nash-MTL", moblo.NashMTL())]
    for name, weighting in runs:
        net = train(weighting, x, y)
        with torch.no_grad():
            explained = 1 - torch.stack(losses_of(net, test_x, test_y)) / variance
        shown = [f"{100 * value:5.1f} %" for value in [*explained.tolist(), explained.min().item()]]
        print(f"  {name:9}", "  ".join(shown))


if __name__ == "__main__":
    main()
