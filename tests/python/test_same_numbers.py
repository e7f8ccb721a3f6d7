"""The same problem in Python and in C++ gives the same numbers, with every method."""
import moblo
import pytest
import torch
from problems import Synthetic, flat

CATALOGUE = moblo._native.catalogue()
WEIGHTINGS = {info["name"] for info in CATALOGUE["weightings"]}
FEW = {"nsga2": {"population": 8, "train_steps": 5}, "tpe": {"train_steps": 5}}


def run(problem, name, iterations):
    known = {field["key"] for info in CATALOGUE["methods"] if info["name"] == name for field in info["fields"]}
    options = {key: value for key, value in {"inner_steps": 10, "inner_step_size": 0.1, **FEW.get(name, {})}.items()
               if key in known}
    classes = {each.name: each for each in vars(moblo).values() if isinstance(each, type) and getattr(each, "name", "")}
    return moblo.train(problem, classes[name](**options), iterations=iterations,
                       optimiser={"alpha": moblo.SGD(0.05), "omega": moblo.Adam(0.02)})


@pytest.mark.parametrize("name", [info["name"] for info in CATALOGUE["methods"]])
def test_every_method_gives_the_numbers_of_cpp(name):
    ours, theirs = Synthetic(tasks=True), moblo.problems.synthetic(tasks=True)
    expected, found = run(theirs, name, 30), run(ours, name, 30)
    assert found.status == expected.status and found.iterations == expected.iterations
    assert torch.allclose(flat(ours), flat(theirs), rtol=0, atol=1e-12)
    for key in ("losses", "weights"):
        assert getattr(found, key) == pytest.approx(getattr(expected, key), abs=1e-12, rel=0)
    for key in ("q", "kkt"):  # searches have none
        assert getattr(found, key) == pytest.approx(getattr(expected, key), abs=1e-12, nan_ok=True)
    assert found.distance == pytest.approx(expected.distance, abs=1e-12)


def test_a_method_that_does_not_suit_is_refused_in_the_same_words():
    refusals = []
    for problem in (Synthetic(), moblo.problems.synthetic()):
        with pytest.raises(moblo.ProblemError, match="no set of tasks") as refused:
            run(problem, "upgrad", 30)
        refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_options_of_a_method_arrive():
    ours, theirs = Synthetic(2.0, (3.0, 3.0)), moblo.problems.synthetic(alpha=2.0, omega=[3.0, 3.0])
    forum = moblo.Forum(inner_steps=50, inner_step_size=0.05, rho=0.3, multiplier="exact")
    for problem in (ours, theirs):
        moblo.train(problem, forum, iterations=100, optimiser=moblo.SGD(0.3))
    assert torch.allclose(flat(ours), flat(theirs), rtol=0, atol=1e-12)


def test_the_papers_synthetic_problem_reaches_its_limit():
    problem = Synthetic(2.0, (3.0, 3.0))
    summary = moblo.train(problem, moblo.Forum(inner_steps=50, inner_step_size=0.05, rho=0.3), iterations=1000,
                          optimiser=moblo.SGD(0.3))
    assert summary.distance < 1e-5 and summary.alpha[0] == pytest.approx(2.0, abs=1e-3)
