"""Problems that several tests need."""
import moblo
import torch

DOUBLE = torch.float64


class Synthetic(moblo.Problem):
    """moblo.problems.synthetic, written in Python, operation by operation."""

    def __init__(self, alpha=0.0, omega=(0.0, 3.0), tasks=False):
        super().__init__()
        self.tasks = tasks
        self.alpha = torch.full((1,), alpha, dtype=DOUBLE)
        self.omega = torch.tensor(omega, dtype=DOUBLE)
        self.first, self.second = torch.tensor([1.0, 0.0], dtype=DOUBLE), torch.tensor([2.0, 0.0], dtype=DOUBLE)
        self.upper.add("alpha", self.alpha)
        self.lower.add("omega", self.omega)

    def upper_losses(self, batch):
        gap = self.omega - torch.cat([torch.zeros_like(self.alpha), self.alpha])
        return [(gap - self.first).square().sum(), (gap - self.second).square().sum()]

    def lower_loss(self, batch):
        return (self.omega - self.alpha).square().sum()

    def traits(self):
        return {"known_solution_set": True, "strongly_convex_lower": True, "tasks": self.tasks}

    def distance_to_solution_set(self):
        a, (w1, w2) = float(self.alpha), self.omega.tolist()
        c = min(max((a + w1 + w2) / 3, 1.0), 2.0)
        return ((a - c) ** 2 + (w1 - c) ** 2 + (w2 - c) ** 2) ** 0.5


class Decay(moblo.Problem):
    """A learned weight decay for a small network on mini-batches; two validation losses."""

    def __init__(self, net=None, samples=60, batch_size=10, batches=True, dtype=DOUBLE):
        super().__init__()
        torch.manual_seed(1)
        self.net = net if net is not None else torch.nn.Sequential(
            torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1)).to(dtype)
        self.decay = torch.nn.Parameter(torch.tensor([-3.0], dtype=dtype))
        x = torch.randn(samples, 4, dtype=dtype)
        y = x.sum(1, keepdim=True) + 0.3 * torch.randn(samples, 1, dtype=dtype)
        self.data = (x, y)
        self.upper.add("decay", self.decay)
        self.lower.add("net", self.net)
        if batches:
            self.upper_batches = moblo.TensorBatches((x, y), batch_size, seed=3)
            self.lower_batches = moblo.TensorBatches((x, y), batch_size, seed=4)

    def residual(self, batch):
        x, y = (batch.inputs, batch.targets) if batch is not None else self.data
        return self.net(x) - y

    def upper_losses(self, batch):
        residual = self.residual(batch)
        return [residual.square().mean(), torch.nn.functional.smooth_l1_loss(residual, torch.zeros_like(residual))]

    def lower_loss(self, batch):
        norm = sum(p.square().sum() for p in self.net.parameters())
        return self.residual(batch).square().mean() + self.decay.exp().sum() * norm

    def evaluate(self):
        with torch.no_grad():
            return {"error": float(self.residual(None).square().mean())}


def flat(problem):
    """alpha and omega as one vector."""
    return torch.cat([pack[name].detach().reshape(-1).clone() for pack in (problem.upper, problem.lower)
                      for name in pack.names()])
