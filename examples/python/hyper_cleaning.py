"""Hyper-cleaning: half of the training labels are wrong, a few hundred trusted ones find out which.

    python3 hyper_cleaning.py [FOLDER] [--quick]

FOLDER holds the four IDX files of MNIST or Fashion-MNIST (`moblo data where mnist` prints where `moblo data get` put
them); without it, Debian's dataset-fashion-mnist. Each training sample has a weight, sigmoid(alpha_j): the lower level
trains a network on the weighted samples, the upper level asks for small losses on trusted samples, one objective for
the classes 0 to 4 and one for 5 to 9.
"""
from __future__ import annotations

import argparse
import gzip
import pathlib
from typing import Dict, List, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

import moblo

Data = Tuple[Tensor, Tensor]


def idx(folder: pathlib.Path, name: str) -> Tensor:
    """One IDX file of unsigned bytes, raw or gzip: 2 zeros, a type, the number of dimensions, the sizes, the values."""
    packed = folder / f"{name}.gz"
    content = gzip.open(packed).read() if packed.exists() else (folder / name).read_bytes()
    sizes = np.frombuffer(content, ">u4", content[3], 4)
    return torch.from_numpy(np.frombuffer(content, np.uint8, -1, 4 + 4 * content[3]).reshape(sizes.tolist()).copy())


class Cleaning(moblo.Problem):
    def __init__(self, net: nn.Module, train: Data, trusted: Data, test: Data, wrong: Tensor) -> None:
        super().__init__()
        self.net, self.test, self.wrong = net, test, wrong
        self.alpha = torch.zeros(len(wrong))  # weight one half for every sample
        self.upper.add_rows("alpha", self.alpha)
        self.lower.add("net", net)
        self.upper_batches = moblo.TensorBatches(trusted, 200, seed=1)
        self.lower_batches = moblo.TensorBatches(train, 100, seed=2)

    def upper_losses(self, batch: moblo.Batch) -> List[Tensor]:
        losses = cross_entropy(self.net(batch.inputs), batch.targets, reduction="none")
        low = batch.targets < 5
        return [losses[low].mean(), losses[~low].mean()]

    def lower_loss(self, batch: moblo.Batch) -> Tensor:
        weights = torch.sigmoid(self.upper.rows("alpha", batch.indices))  # only these rows move in this step
        return (weights * cross_entropy(self.net(batch.inputs), batch.targets, reduction="none")).mean()

    def evaluate(self) -> Dict[str, float]:
        ranks = self.alpha.argsort().argsort()[self.wrong].double()  # the more suspicious, the lower
        found, others = len(ranks), len(self.wrong) - len(ranks)
        area = 1 - (ranks.sum().item() - found * (found - 1) / 2) / (found * others)
        return {"test accuracy": accuracy(self.net, self.test), "AUC of wrong labels": area}


def accuracy(net: nn.Module, data: Data) -> float:
    with torch.no_grad():
        return 100 * float((net(data[0]).argmax(1) == data[1]).double().mean())


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


def plainly_trained(data: Data, steps: int) -> nn.Module:
    net, batches = network(), moblo.TensorBatches(data, 100, seed=2)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.3)
    for k in range(steps):
        batch = batches.at(k)
        optimiser.zero_grad()
        cross_entropy(net(batch.inputs), batch.targets).backward()
        optimiser.step()
    return net


def main() -> None:
    arguments = argparse.ArgumentParser(description="Hyper-cleaning with FORUM")
    arguments.add_argument("folder", nargs="?", default="/usr/share/datasets/fashion-mnist", type=pathlib.Path)
    arguments.add_argument("--quick", action="store_true", help="a few seconds: fewer steps and samples")
    given = arguments.parse_args()
    torch.set_num_threads(1)
    steps, samples = (150, 2000) if given.quick else (400, 5000)

    images, labels = idx(given.folder, "train-images-idx3-ubyte"), idx(given.folder, "train-labels-idx1-ubyte").long()
    order = torch.randperm(len(images), generator=torch.Generator().manual_seed(0))
    (x, y), trusted, test = [(images[some].flatten(1) / 255, labels[some])
                             for some in order[:samples + 6000].split([samples, 1000, 5000])]
    torch.manual_seed(1)
    wrong = torch.rand(samples) < 0.5
    noisy = torch.where(wrong, (y + torch.randint(1, 10, y.shape)) % 10, y)

    print("test accuracy")
    print(f"  all labels alike:             {accuracy(plainly_trained((x, noisy), steps), test):.1f} %")
    print(f"  trusted labels only:          {accuracy(plainly_trained(trusted, steps), test):.1f} %")
    problem = Cleaning(network(), (x, noisy), trusted, test, wrong)
    summary = moblo.train(
        problem, moblo.Forum(inner_steps=1, inner_step_size=0.3, rho=0.9, upper_gradients="unit"), iterations=steps,
        optimiser={"alpha": moblo.SGD(300), "omega": moblo.SGD(1.0, schedule=moblo.CosineSchedule())},
        evaluate_every=steps, refit_steps=2 * steps)
    after = summary.evaluations[-1][1]
    print(f"  FORUM, learned weights:       {after['test accuracy']:.1f} %")
    if summary.refit:
        print(f"  trained anew with these:      {summary.refit.alone.metrics['test accuracy']:.1f} %")
    print(f"AUC of finding the wrong labels: {after['AUC of wrong labels']:.3f}")


if __name__ == "__main__":
    main()
