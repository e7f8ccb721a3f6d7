"""Problems in Python: tensors and modules stay the user's; what cannot work is refused in words."""
import copy
import gc
import weakref

import moblo
import pytest
import torch
from problems import DOUBLE, Decay, Synthetic, flat

FORUM = moblo.Forum(inner_steps=3, inner_step_size=0.05)
SMALL = {"alpha": moblo.SGD(0.01), "omega": moblo.SGD(0.05)}


def train(problem, iterations=20, **options):
    return moblo.train(problem, FORUM, iterations=iterations, optimiser=SMALL, refit="off", **options)


def test_tensors_are_shared_not_copied():
    problem = Synthetic()
    before = problem.omega
    train(problem)
    assert problem.lower["omega"] is before and problem.omega is before
    assert not torch.equal(before, torch.tensor([0.0, 3.0], dtype=DOUBLE))


def test_a_module_stays_usable_during_and_after_a_run():
    problem = Decay()
    weight = problem.net[0].weight
    seen = []
    train(problem, on_step=lambda record: seen.append(float(problem.net(problem.data[0]).sum())))
    assert problem.net[0].weight is weight and isinstance(weight, torch.nn.Parameter) and weight.is_leaf
    assert len(set(seen)) == 20
    assert problem.net.state_dict()["0.weight"].data_ptr() == weight.data_ptr()
    twin = copy.deepcopy(problem.net)
    assert torch.equal(twin[0].weight, weight) and twin[0].weight.data_ptr() != weight.data_ptr()


def test_values_loaded_between_two_runs_are_taken_over():
    problem = Decay()
    start = {key: value.clone() for key, value in problem.net.state_dict().items()}
    decay = problem.decay.detach().clone()
    train(problem)
    first = flat(problem)
    problem.net.load_state_dict(start)
    problem.decay.data = decay  # not in place: the tensor leaves the buffer and comes back
    problem.upper_batches.position = problem.lower_batches.position = 0
    train(problem)
    assert torch.equal(flat(problem), first)


def test_frozen_parameters_stay():
    problem_net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1)).to(DOUBLE)
    problem_net[0].requires_grad_(False)
    frozen = problem_net[0].weight.clone()
    problem = Decay(net=problem_net)
    train(problem)
    assert torch.equal(problem_net[0].weight, frozen)
    assert problem.lower.names() == ["net.2.weight", "net.2.bias"]


def test_parameters_that_two_modules_share_are_one():
    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
            self.second.weight = self.first.weight
            self.last = torch.nn.Linear(4, 1)

        def forward(self, x):
            return self.last(torch.tanh(self.second(torch.tanh(self.first(x)))))

    net = Tied().to(DOUBLE)
    problem = Decay(net=net)
    train(problem)
    assert net.second.weight is net.first.weight and "net.second.weight" not in problem.lower.names()


def test_batch_norm_keeps_its_statistics_out_of_the_lower_loop():
    net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.ReLU(),
                              torch.nn.Linear(6, 1)).to(DOUBLE)
    counts = []
    for inner_steps in (1, 9):
        problem = Decay(net=copy.deepcopy(net))
        moblo.train(problem, moblo.Forum(inner_steps=inner_steps, inner_step_size=0.01), iterations=5, optimiser=SMALL,
                    refit="off")
        counts.append(int(problem.net[1].num_batches_tracked))
        problem.net.eval()
        assert torch.isfinite(problem.net(problem.data[0])).all()
    assert counts[0] == counts[1] > 0


def test_dropout_repeats_with_the_seed_and_leaves_torchs_generator_alone():
    results = []
    for _ in range(2):
        torch.manual_seed(5)
        net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Dropout(0.5), torch.nn.Linear(6, 1)).to(DOUBLE)
        problem = Decay(net=net)
        torch.manual_seed(7)
        train(problem)
        results.append((flat(problem), torch.rand(1)))
    assert torch.equal(results[0][0], results[1][0])
    torch.manual_seed(7)
    assert torch.equal(results[0][1], torch.rand(1))


def test_rows_hold_one_weight_per_sample():
    class Weighted(moblo.Problem):
        def __init__(self):
            super().__init__()
            x = torch.randn(50, 3, dtype=DOUBLE)
            y = x @ torch.tensor([1.0, -2.0, 0.5], dtype=DOUBLE)
            noisy = y.clone()
            noisy[:10] += 8
            self.w = torch.zeros(3, dtype=DOUBLE)
            self.weights = torch.zeros(50, dtype=DOUBLE)
            self.upper.add_rows("weights", self.weights)
            self.lower.add("w", self.w)
            self.upper_batches = moblo.TensorBatches((x, y), 25, seed=1)
            self.lower_batches = moblo.TensorBatches((x, noisy), 10, seed=2)

        def errors(self, batch):
            return (batch.inputs @ self.w - batch.targets).square()

        def upper_losses(self, batch):
            errors = self.errors(batch)
            return [errors[::2].mean(), errors[1::2].mean()]

        def lower_loss(self, batch):
            return (torch.sigmoid(self.upper.rows("weights", batch.indices)) * self.errors(batch)).mean()

    problem = Weighted()
    moblo.train(problem, moblo.MOML(inner_steps=5, inner_step_size=0.05), iterations=400,
                optimiser={"alpha": moblo.SGD(1.0), "omega": moblo.SGD(0.05)}, refit="off")
    assert problem.weights[:10].mean() < problem.weights[10:].mean() - 1


def test_upper_losses_may_be_one_tensor():
    class Stacked(Synthetic):
        def upper_losses(self, batch):
            return torch.stack(super().upper_losses(batch))

    ours, theirs = Stacked(), Synthetic()
    train(ours), train(theirs)
    assert torch.equal(flat(ours), flat(theirs))


@pytest.mark.parametrize("bad, words", [
    (lambda p: 1.0, "returned a float"),
    (lambda p: p.omega.square(), "must be a scalar"),
    (lambda p: torch.tensor(1.0, dtype=DOUBLE), "does not depend on any lower parameter"),
    (lambda p: p.omega.detach().sum() + p.alpha.sum(), "does not depend on any lower parameter"),
    (lambda p: p.omega.sum() * float("nan"), "must be finite"),
])
def test_a_loss_that_breaks_the_contract_is_refused_before_the_first_iteration(bad, words):
    class Bad(Synthetic):
        def lower_loss(self, batch):
            return bad(self)

    with pytest.raises(moblo.Error, match=words):
        train(Bad())


def test_another_dtype_after_adding_is_refused():
    problem = Decay()
    train(problem, 2)
    problem.net.float()
    with pytest.raises(moblo.ProblemError, match="net.0.weight.*another floating-point type"):
        train(problem, 2)


@pytest.mark.parametrize("what, words", [
    (3.0, "neither tensor nor nn.Module"),
    (torch.zeros(3, dtype=torch.int64), "floating-point type"),
    (torch.zeros(3, requires_grad=True) * 2, "result of a computation"),
    (torch.zeros(0), "no elements"),
])
def test_what_cannot_be_a_variable_is_refused(what, words):
    problem = Synthetic()
    with pytest.raises(moblo.ProblemError, match=words):
        problem.lower.add("x", what)


def test_a_problem_without_losses_says_what_is_missing():
    class Empty(moblo.Problem):
        def __init__(self):
            super().__init__()
            self.upper.add("a", torch.zeros(1))
            self.lower.add("w", torch.zeros(1))

    with pytest.raises(NotImplementedError, match="lower_loss"):
        moblo.train(Empty())


def test_a_forgotten_constructor_is_told():
    class Forgetful(moblo.Problem):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="__init__"):
        Forgetful()


def test_an_unread_variable_is_a_warning():
    problem = Synthetic()
    problem.upper.add("unused", torch.zeros(2, dtype=DOUBLE))
    with pytest.warns(moblo.RunWarning, match="'unused' is read by no loss"):
        train(problem, 2)


def test_a_problem_that_refers_to_itself_is_collected():
    class Cyclic(Synthetic):
        def __init__(self):
            super().__init__()
            self.lower_batches = [self, self]

        def lower_loss(self, batch):
            return super().lower_loss(None)

    problem = Cyclic()
    train(problem, 2)
    gone = weakref.ref(problem)
    del problem
    gc.collect()
    assert gone() is None


def test_functions_are_a_problem_too():
    alpha, omega = torch.zeros(1, dtype=DOUBLE), torch.tensor([0.0, 3.0], dtype=DOUBLE)
    first, second = torch.tensor([1.0, 0.0], dtype=DOUBLE), torch.tensor([2.0, 0.0], dtype=DOUBLE)

    def upper(target):
        return lambda: (omega - torch.cat([torch.zeros_like(alpha), alpha]) - target).square().sum()

    summary = moblo.minimise([upper(first), upper(second)], lambda: (omega - alpha).square().sum(), alpha, omega, FORUM,
                             iterations=20, optimiser=SMALL, refit="off")
    twin = Synthetic()
    expected = train(twin)
    assert summary.losses == expected.losses and torch.equal(torch.cat([alpha, omega]), flat(twin))


def test_functions_get_batches_where_there_are_some():
    net = torch.nn.Linear(3, 1)
    decay = torch.zeros(1)
    x = torch.randn(30, 3)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=10)

    def error(batch):
        return (net(batch[0]) - batch[1]).square().mean()

    summary = moblo.minimise(
        upper=lambda batch: [error(batch), error(batch).sqrt()],
        lower=lambda batch: error(batch) + decay.exp().sum() * 0.01 * net.weight.square().sum(),
        alpha=[decay], omega=net, upper_batches=loader, lower_batches=loader, iterations=30, method=FORUM, optimiser=SMALL)
    assert summary.succeeded and summary.losses[0] < 1


def test_gradients_are_checked():
    check = moblo.check_gradients(Decay())
    assert check.passed and check.largest_error < 1e-6 and "agree" in repr(check)

    class Wrong(Synthetic):
        def lower_loss(self, batch):
            return super().lower_loss(batch) + 3 * self.omega.detach().sum()

    assert not moblo.check_gradients(Wrong()).passed


def test_built_in_problems_are_there():
    assert "hyper_cleaning" in moblo.problems.__all__ and "pixels" not in dir(moblo)
    problem = moblo.problems.quadratic(m=2, n=4, seed=3)
    distances = []
    summary = moblo.train(problem, moblo.MOML(inner_steps=10, inner_step_size=0.5), iterations=300,
                          optimiser=moblo.SGD(0.1), refit="off",
                          on_step=lambda record: distances.append(record.distance))
    assert summary.succeeded and summary.kkt < 1e-4 and summary.distance < 0.2 * distances[0]
    with pytest.raises(moblo.OptionError, match="quadratic.m = 0"):
        moblo.problems.quadratic(m=0)
