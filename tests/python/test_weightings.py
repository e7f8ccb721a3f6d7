"""Weightings in a loop of one's own: backward, aggregate, weigh."""
import pickle

import moblo
import plain_aggregators
import pytest
import torch

DOUBLE = torch.float64
CATALOGUE = moblo._native.catalogue()
NAMES = [info["name"] for info in CATALOGUE["weightings"]]
CLASSES = {each.name: each for each in vars(moblo).values()
           if isinstance(each, type) and issubclass(each, moblo.Weighting) and each.name}


class Net(torch.nn.Module):
    def __init__(self, tasks=3):
        super().__init__()
        self.trunk = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh())
        self.heads = torch.nn.ModuleList(torch.nn.Linear(8, 1) for _ in range(tasks))

    def losses(self, x):
        shared = self.trunk(x)
        return [(head(shared) - (i + 1) * x.sum(1, keepdim=True).cos()).square().mean()
                for i, head in enumerate(self.heads)]


def made(tasks=3):
    torch.manual_seed(2)
    return Net(tasks).to(DOUBLE), torch.randn(20, 5, dtype=DOUBLE)


def gradients(net, losses):
    """One row per loss, over the trunk."""
    rows = [torch.autograd.grad(loss, list(net.trunk.parameters()), retain_graph=True) for loss in losses]
    return torch.stack([torch.cat([g.reshape(-1) for g in row]) for row in rows])


def grad_of(module):
    return torch.cat([p.grad.reshape(-1) for p in module.parameters()])


def losses_for(weighting, net, x):
    samples = weighting._native.needs["samples"]
    return [loss for _ in range(samples) for loss in net.losses(x)]


def test_equal_weights_are_plain_backward():
    net, x = made()
    moblo.backward(net.losses(x), shared=net.trunk, heads=net.heads, weighting=moblo.EW())
    ours = grad_of(net)
    net.zero_grad()
    sum(net.losses(x)).backward()
    assert torch.allclose(ours, grad_of(net), rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_backward_combines_the_rows_by_its_weights(name):
    net, x = made()
    weighting = CLASSES[name]()
    needs = weighting._native.needs
    losses = losses_for(weighting, net, x)
    rows = gradients(net, losses)
    weights = moblo.backward(losses, shared=net.trunk, heads=net.heads, weighting=weighting)
    assert weights.shape == (len(losses),) and weights.dtype == DOUBLE
    if not needs["entries"]:  # those that rewrite the rows have other ones
        assert torch.allclose(grad_of(net.trunk), weights @ rows, rtol=1e-10, atol=1e-12)
    assert all(p.grad is not None for p in net.parameters())


@pytest.mark.parametrize("name", NAMES)
def test_a_state_goes_on_where_it_was(name):
    def run(weighting, net, steps, x):
        optimiser = torch.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(steps):
            optimiser.zero_grad()
            moblo.backward(losses_for(weighting, net, x), net.trunk, net.heads, weighting)
            optimiser.step()
            if weighting._native.needs["losses_after"]:
                weighting.observe(net.losses(x))

    net, x = made()
    weighting = CLASSES[name]()
    run(weighting, net, 3, x)
    state, model = weighting.state_dict(), {key: value.clone() for key, value in net.state_dict().items()}
    pickled = pickle.loads(pickle.dumps(weighting))
    run(weighting, net, 3, x)
    expected = torch.cat([p.detach().reshape(-1) for p in net.parameters()])
    fresh = CLASSES[name]()
    fresh.load_state_dict(state)
    for again in (fresh, pickled):
        twin, _ = made()
        twin.load_state_dict(model)
        run(again, twin, 3, x)
        assert torch.equal(expected, torch.cat([p.detach().reshape(-1) for p in twin.parameters()]))


def test_a_loop_with_backward_is_a_run_with_the_weighting_as_method():
    class Tasks(moblo.Problem):
        def __init__(self, net, x):
            super().__init__()
            self.net, self.x, self.unused = net, x, torch.zeros(1, dtype=DOUBLE)
            self.upper.add("alpha", self.unused)
            self.lower.add("trunk", net.trunk)
            self.lower.add("heads", net.heads)

        def upper_losses(self, batch):
            return self.net.losses(self.x)

        def lower_loss(self, batch):
            return sum(self.net.losses(self.x)) + 0 * self.unused.sum()

        def traits(self):
            return {"tasks": True}

        def shared_columns(self):
            return sum(p.numel() for p in self.net.trunk.parameters())

    for name in ("upgrad", "cagrad", "nashmtl", "pcgrad", "uw", "dwa"):
        net, x = made()
        moblo.train(Tasks(net, x), CLASSES[name](), iterations=10, optimiser=moblo.SGD(0.05))
        twin, _ = made()
        weighting, optimiser = CLASSES[name](), torch.optim.SGD(twin.parameters(), lr=0.05)
        for _ in range(10):
            optimiser.zero_grad()
            moblo.backward(twin.losses(x), twin.trunk, twin.heads, weighting)
            optimiser.step()
        ours, theirs = (torch.cat([p.detach().reshape(-1) for p in each.parameters()]) for each in (net, twin))
        assert torch.allclose(ours, theirs, rtol=0, atol=1e-12), name


def test_gradients_add_up_and_unread_parameters_are_left_alone():
    net, x = made()
    net.trunk.register_parameter("unused", torch.nn.Parameter(torch.zeros(3, dtype=DOUBLE)))
    moblo.backward(net.losses(x), net.trunk, net.heads, "ew")
    once = net.trunk[0].weight.grad.clone()
    moblo.backward(net.losses(x), net.trunk, net.heads, "ew")
    assert torch.allclose(net.trunk[0].weight.grad, 2 * once) and net.trunk.unused.grad is None


def test_mgda_of_two_is_the_closed_form():
    for dtype, tolerance in ((DOUBLE, 1e-12), (torch.float32, 1e-5)):
        rows = torch.randn(2, 1000, dtype=dtype)
        a, b = rows.double()
        weight = (((b - a) @ b) / (b - a).square().sum()).clamp(0, 1)
        expected = weight * a + (1 - weight) * b
        found = moblo.aggregate(rows, moblo.MGDA())
        assert found.dtype == dtype and torch.allclose(found.double(), expected, rtol=tolerance, atol=tolerance)
        assert torch.allclose(moblo.weigh(rows.double() @ rows.double().T, "mgda"), torch.tensor([weight, 1 - weight],
                              dtype=DOUBLE), atol=1e-5 if dtype != DOUBLE else 1e-12)


def test_nash_mtl_solves_its_equation():
    rows = torch.randn(4, 50, dtype=DOUBLE)
    gramian = rows @ rows.T
    weights = moblo.weigh(gramian / gramian.norm(), "nashmtl")
    products = (gramian / gramian.norm()) @ weights * weights
    assert torch.allclose(products, products.mean().expand(4), rtol=1e-8)


def test_rows_are_not_changed_by_weightings_that_rewrite_them():
    rows = torch.randn(3, 40, dtype=DOUBLE)
    before = rows.clone()
    for name in NAMES:
        weighting = CLASSES[name]()
        samples = weighting._native.needs["samples"]
        direction = moblo.aggregate(rows.repeat(samples, 1), weighting, losses=[1.0, 2.0, 3.0])
        assert direction.shape == (40,) and torch.isfinite(direction).all()
    assert torch.equal(rows, before)


def test_famo_asks_for_the_losses_after_the_step():
    net, x = made()
    weighting = moblo.FAMO()
    moblo.backward(net.losses(x), net.trunk, net.heads, weighting)
    with pytest.raises(moblo.UsageError, match="observe"):
        moblo.backward(net.losses(x), net.trunk, net.heads, weighting)
    weighting.observe(net.losses(x))
    moblo.backward(net.losses(x), net.trunk, net.heads, weighting)


@pytest.mark.parametrize("call, words", [
    (lambda net, x: moblo.backward(net.losses(x), net.trunk, list(net.heads)[:2]), "2 heads.*3 tasks"),
    (lambda net, x: moblo.backward([loss.detach() for loss in net.losses(x)], net.trunk), "has no gradient"),
    (lambda net, x: moblo.backward(net.losses(x), []), "no parameters"),
    (lambda net, x: moblo.backward(net.losses(x), net.trunk, [net.trunk] * 3), "is also parameter"),
    (lambda net, x: moblo.backward([loss * float("inf") for loss in net.losses(x)], net.trunk), "is not finite"),
    (lambda net, x: moblo.backward(net.losses(x), net.trunk, weighting="upgrat"), "upgrad"),
    (lambda net, x: moblo.backward(net.losses(x), net.trunk, weighting=moblo.UPGrad), "the class UPGrad"),
    (lambda net, x: moblo.aggregate(torch.randn(3), "mgda"), "two dimensions"),
    (lambda net, x: moblo.aggregate(torch.ones(3, 4, dtype=torch.int64), "mgda"), "floating-point type"),
    (lambda net, x: moblo.aggregate(torch.full((2, 3), float("nan")), "mgda"), "not finite"),
    (lambda net, x: moblo.aggregate(torch.randn(3, 4), "dwa"), "one loss per task"),
    (lambda net, x: moblo.weigh(torch.ones(2, 3), "mgda"), "square"),
    (lambda net, x: moblo.weigh(torch.tensor([[1.0, 2.0], [2.0, 1.0]]), "mgda"), "no gradients have these products"),
    (lambda net, x: moblo.weigh(torch.eye(3), "graddrop"), "a Gramian is not enough"),
    (lambda net, x: moblo.MGDA().load_state_dict(moblo.EW().state_dict()), "ew.*mgda"),
])
def test_misuse_is_refused_in_words(call, words):
    with pytest.raises(moblo.Error, match=words):
        call(*made())


def test_a_weighting_keeps_the_number_of_its_tasks():
    weighting = moblo.MGDA()
    moblo.aggregate(torch.randn(3, 5), weighting)
    with pytest.raises(moblo.DataError, match="3 rows are needed"):
        moblo.aggregate(torch.randn(2, 5), weighting)


def test_weightings_show_their_options():
    assert repr(moblo.CAGrad(radius=0.4)) == "CAGrad(radius=0.4)" and repr(moblo.UPGrad()) == "UPGrad()"
    assert moblo.CAGrad().options["radius"] == 0.5 and "Options" in moblo.CAGrad.__doc__
    with pytest.raises(moblo.UsageError, match="subclasses"):
        moblo.Weighting()


def test_an_optimiser_of_torch_trains_several_tasks():
    net, x = made()
    optimiser, weighting = torch.optim.Adam(net.parameters(), 1e-2), moblo.UPGrad()
    first = sum(net.losses(x)).item()
    for _ in range(100):
        optimiser.zero_grad()
        moblo.backward(net.losses(x), net.trunk, net.heads, weighting)
        optimiser.step()
    assert sum(net.losses(x)).item() < 0.5 * first


def test_task_weights_are_learned():
    net, x = made(2)
    noise = torch.randn(20, 1, dtype=DOUBLE) * 5

    def losses(noisy):
        shared = net.trunk(x)
        clean = (net.heads[0](shared) - x.sum(1, keepdim=True)).square().mean()
        other = (net.heads[1](shared) - (noise if noisy else torch.zeros_like(noise))).square().mean()
        return [clean, other]

    weights = moblo.TaskWeights(tasks=2, model=net, method=moblo.MOML(inner_steps=1, inner_step_size=0.05),
                                optimiser=moblo.Adam(1e-2))
    for _ in range(60):
        record = weights.step(lambda: losses(True), lambda: losses(False))
    assert weights.values.sum() == pytest.approx(1) and weights.values[1] < weights.values[0]
    state = weights.state_dict()
    weights.step(lambda: losses(True), lambda: losses(False))
    after = weights.values
    weights.load_state_dict(state)
    weights.step(lambda: losses(True), lambda: losses(False))
    assert torch.equal(after, weights.values) and record.k == 59


@pytest.mark.parametrize("tasks", [2, 3, 8])
def test_algorithms_written_in_plain_pytorch_agree(tasks):
    rows = torch.randn(tasks, 200, dtype=DOUBLE) + 0.3 * torch.randn(200, dtype=DOUBLE)
    assert torch.allclose(moblo.aggregate(rows, "ew"), plain_aggregators.ew(rows), rtol=0, atol=1e-12)
    ours, theirs = moblo.aggregate(rows, "mgda"), plain_aggregators.mgda(rows, 100000)
    assert ours.norm() <= theirs.norm() * (1 + 1e-12) and torch.allclose(ours, theirs, rtol=0, atol=2e-3)
    ours, theirs = moblo.aggregate(rows, "upgrad"), plain_aggregators.upgrad(rows)
    scale = (ours @ theirs) / (theirs @ theirs)  # the sum or the mean of the projections
    assert torch.allclose(ours, scale * theirs, rtol=0, atol=1e-6 * float(ours.abs().max()))
    if tasks == 2:  # with two, there is one order only
        assert torch.allclose(moblo.aggregate(rows, "pcgrad"), plain_aggregators.pcgrad(rows, [[1], [0]]), atol=1e-12)
