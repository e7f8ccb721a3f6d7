"""Loss weights that are learned instead of set by hand, in an ordinary multi-task loop.

Two tasks share a network. The training labels of the second are noise, and a few validation samples are right: the
weights learn to listen to the first task. `TaskWeights.step` takes the place of `(w[0] * a + w[1] * b).backward()` and
of `optimiser.step()`.
"""
from __future__ import annotations

from typing import List

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import moblo


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x = torch.randn(1200, 8)
    clean = torch.tanh(x @ torch.randn(8, 2))
    noisy = clean.clone()
    noisy[:1000, 1] = torch.randn(1000)  # the second task's training labels say nothing
    training = DataLoader(TensorDataset(x[:1000], noisy[:1000]), batch_size=50, shuffle=True)
    validation = DataLoader(TensorDataset(x[1000:], clean[1000:]), batch_size=50, shuffle=True)

    net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))

    def losses(inputs: Tensor, targets: Tensor) -> List[Tensor]:
        return list((net(inputs) - targets).square().mean(0).unbind())

    weights = moblo.TaskWeights(tasks=2, model=net, method=moblo.MOML(inner_steps=1, inner_step_size=0.1),
                                optimiser={"alpha": moblo.Adam(0.02), "omega": moblo.Adam(3e-3)})
    for epoch in range(25):
        for (inputs, targets), (held_inputs, held_targets) in zip(training, validation):
            weights.step(lambda: losses(inputs, targets), lambda: losses(held_inputs, held_targets))
        if epoch % 5:
            continue
        with torch.no_grad():
            first, second = losses(x[1000:], clean[1000:])
        print(f"epoch {epoch:2}: weights {weights.values[0]:.2f} {weights.values[1]:.2f}, "
              f"validation losses {first:.3f} {second:.3f}")


if __name__ == "__main__":
    main()
