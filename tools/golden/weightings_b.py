"""Writes tests/golden/weightings_b.json: runs of the second half of the weightings, from the gradients themselves.

Nothing here sees a Gramian: projections are QPs over directions (cvxopt), Aligned-MTL and ConFIG use singular values of
the matrix, FairGrad a root finder, and what is trained is trained by torch's Adam with torch's own derivatives.

Run by hand with Debian's python3-torch, -numpy, -scipy, -cvxopt:  /usr/bin/python3 tools/golden/weightings_b.py
"""

import json
import pathlib
import platform

import cvxopt
import numpy as np
import scipy
import scipy.optimize
import torch

SEED = 20250115
SIZES = (2, 3, 11)
STEPS = 6
EPOCH_LENGTH = 2  # of the tests that read it

cvxopt.solvers.options.update(show_progress=False, maxiters=200, abstol=1e-13, reltol=1e-13, feastol=1e-13)
torch.set_default_dtype(torch.float64)


def loss_weighted(weights, rows):
    weights = np.asarray(weights, dtype=float)
    return rows.T @ weights, weights


def gradient_only(direction, tasks):
    return direction, np.ones(tasks)


def dwa(m, options):
    means, current = [], []

    def step(k, losses, _, rows):
        if k % EPOCH_LENGTH == 0 and k > 0:
            means.append(np.mean(current, axis=0))
            current.clear()
        current.append(losses)
        if len(means) < 2:
            return loss_weighted(np.ones(m), rows)
        score = np.exp(means[-1] / means[-2] / options["temperature"])
        return loss_weighted(m * score / score.sum(), rows)

    return step


def gls(m, _):
    def step(k, losses, after, rows):
        values = torch.tensor(losses, requires_grad=True)
        torch.exp(torch.log(values).mean()).backward()
        return loss_weighted(values.grad.numpy(), rows)

    return step


def gradnorm(m, options):
    logits = torch.zeros(m, requires_grad=True)
    adam = torch.optim.Adam([logits], lr=options["step_size"])
    first = []

    def step(k, losses, _, rows):
        first.append(losses)
        weights = m * torch.softmax(logits, 0)
        lengths = torch.stack([(weights[i] * torch.tensor(rows[i])).norm() for i in range(m)])
        rate = losses / first[0]
        target = lengths.mean().detach() * torch.tensor((rate / rate.mean()) ** options["alpha"])
        used = weights.detach().numpy().copy()
        adam.zero_grad()
        (lengths - target).abs().sum().backward()
        adam.step()
        return loss_weighted(used, rows)

    return step


def aligned(m, options):
    preference = np.array(options.get("preference") or np.ones(m), dtype=float)

    def step(k, losses, after, rows):
        left, values, right = np.linalg.svd(rows, full_matrices=False)
        mode = options["scale"]
        sigma = {"min": values.min(), "median": np.sort(values)[(m - 1) // 2], "rmse": np.sqrt((values**2).mean())}[mode]
        return gradient_only(sigma * (left @ right).T @ preference, m)

    return step


def dbmtl(m, options):
    state = {}

    def step(k, losses, _, rows):
        fresh = rows / (losses[:, None] + 1e-8)
        beta = options["beta"] / (k + 1) ** options["beta_sigma"]
        average = (1 - beta) * fresh + beta * state.get("average", np.zeros_like(rows))
        state["average"] = average
        lengths = np.linalg.norm(average, axis=1)
        return sum(lengths.max() * b / n for b, n in zip(average, lengths)), 1 / (losses + 1e-8)

    return step


def stch(m, options):
    epoch_losses = []

    def step(k, losses, _, rows):
        values = torch.tensor(losses, requires_grad=True)
        epoch = k // EPOCH_LENGTH
        if epoch <= options["warmup_epochs"]:
            if epoch == options["warmup_epochs"]:
                epoch_losses.append(losses)
            torch.log(values).sum().backward()
        else:
            nadir = torch.tensor(np.mean(epoch_losses, axis=0))
            (m * options["mu"] * torch.logsumexp(torch.log(values / nadir) / options["mu"], 0)).backward()
        return loss_weighted(values.grad.numpy(), rows)

    return step


def excess(m, options):
    state = {"weights": np.ones(m)}

    def step(k, losses, _, rows):
        state["squares"] = state.get("squares", 0) + rows**2
        risk = np.array([g @ np.diag((s + 1e-7) ** -0.5) @ g for g, s in zip(rows, state["squares"])])
        if k == 0:
            state["first"] = risk
        else:
            grown = state["weights"] * np.exp(options["robust_step_size"] * risk / state["first"])
            state["weights"] = m * grown / grown.sum()
        return loss_weighted(state["weights"], rows)

    return step


def fairgrad(m, options):
    def step(k, losses, after, rows):
        def gap(logs):
            weights = np.exp(logs)
            return (rows @ (rows.T @ weights)) * weights ** (1 / options["alpha"]) - 1

        answer = scipy.optimize.least_squares(gap, np.zeros(m), xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=10000)
        assert np.abs(answer.fun).max() < 1e-9, answer
        return loss_weighted(np.exp(answer.x), rows)

    return step


def famo(m, options):
    logits = torch.zeros(m, requires_grad=True)
    adam = torch.optim.Adam([logits], lr=options["step_size"], weight_decay=options["gamma"])

    def step(k, losses, after, rows):
        share = torch.softmax(logits, 0).detach().numpy()
        weights = share / (losses + 1e-8)
        weights = weights / weights.sum()
        decrease = torch.tensor(np.log(losses + 1e-8) - np.log(after + 1e-8))
        adam.zero_grad()
        (torch.softmax(logits, 0) * decrease).sum().backward()
        adam.step()
        return loss_weighted(weights, rows)

    return step


def onto_simplex(point):
    total = lambda shift: np.maximum(point - shift, 0).sum() - 1
    shift = scipy.optimize.brentq(total, point.min() - 2, point.max(), xtol=1e-15, rtol=8.9e-16)
    return np.maximum(point - shift, 0)


def modo(m, options):
    state = {"weights": np.full(m, 1 / m)}

    def step(k, losses, _, rows):
        first, second, third = rows[:m], rows[m : 2 * m], rows[2 * m :]
        slope = first @ (second.T @ state["weights"]) + options["rho"] * state["weights"]
        state["weights"] = onto_simplex(state["weights"] - options["gamma"] * slope)
        return gradient_only(third.T @ state["weights"], m)

    return step


def sdmgrad(m, options):
    state = {"weights": np.full(m, 1 / m)}
    pull = options["lambda"]

    def follow(rows):
        second, third = rows[m : 2 * m], rows[2 * m :]
        lengths = [max(a @ b, 0) ** 0.5 for a, b in zip(second, third)]
        second, third = second / np.mean(lengths), third / np.mean(lengths)
        weights, velocity = state["weights"], 0
        for _ in range(options["iterations"]):
            mixed = third.T @ weights + pull * third.mean(axis=0)
            velocity = options["momentum"] * velocity + second @ mixed
            weights = onto_simplex(weights - options["step_size"] * velocity)
        return weights

    def step(k, losses, _, rows):
        head = rows[:m]
        if options["batches"] == "one":
            shifted = head + pull * head.mean(axis=0)
            matrix = lambda a: cvxopt.matrix(np.asarray(a, dtype=float))
            data = (shifted @ shifted.T, np.zeros(m), -np.eye(m), np.zeros(m), np.ones((1, m)), [1.0])
            weights = np.array(cvxopt.solvers.qp(*map(matrix, data), kktsolver="ldl")["x"]).ravel()
        else:
            weights = follow(rows)
        state["weights"] = weights
        return gradient_only((weights @ head + pull * head.mean(axis=0)) / (1 + pull), m)

    return step


def project_onto_dual_cone(rows, vector):
    """The d nearest to the vector with rows d >= 0."""
    matrix = lambda a: cvxopt.matrix(np.asarray(a, dtype=float))
    data = (np.eye(len(vector)), -vector, -rows, np.zeros(len(rows)))
    answer = cvxopt.solvers.qp(*map(matrix, data), kktsolver="ldl")
    return np.array(answer["x"]).ravel()


def upgrad(m, options):
    preference = options.get("preference") or np.full(m, 1 / m)
    return lambda k, losses, after, rows: gradient_only(
        sum(project_onto_dual_cone(rows, p * g) for p, g in zip(preference, rows)), m
    )


def dualproj(m, options):
    preference = np.array(options.get("preference") or np.full(m, 1 / m))
    return lambda k, losses, after, rows: gradient_only(project_onto_dual_cone(rows, rows.T @ preference), m)


def config(m, options):
    preference = np.array(options.get("preference") or np.ones(m), dtype=float)

    def step(k, losses, _, rows):
        units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        best = np.linalg.pinv(units) @ preference
        best /= np.linalg.norm(best)
        return gradient_only((rows @ best).sum() * best, m)

    return step


EXACT, SOLVED = 1e-9, 1e-6  # closed forms; against an interior point or a root finder
SDM = {"lambda": 0.3, "batches": "three", "iterations": 20, "step_size": 5.0, "momentum": 0.5}
RUNS = (
    (dwa, {"temperature": 2.0}, 1, EXACT),
    (gls, {}, 1, EXACT),
    (gradnorm, {"alpha": 1.5, "step_size": 0.025}, 1, EXACT),
    (aligned, {"scale": "min"}, 1, EXACT),
    (aligned, {"scale": "median"}, 1, EXACT),
    (aligned, {"scale": "rmse"}, 1, EXACT),
    (dbmtl, {"beta": 0.9, "beta_sigma": 0.0}, 1, EXACT),
    (dbmtl, {"beta": 0.5, "beta_sigma": 0.5}, 1, EXACT),
    (stch, {"mu": 0.7, "warmup_epochs": 1}, 1, EXACT),
    (excess, {"robust_step_size": 0.01}, 1, EXACT),
    (fairgrad, {"alpha": 1.0}, 1, SOLVED),
    (fairgrad, {"alpha": 2.0}, 1, SOLVED),
    (famo, {"step_size": 0.025, "gamma": 0.001}, 1, EXACT),
    (modo, {"gamma": 0.05, "rho": 0.1, "samples": 3}, 3, EXACT),
    (sdmgrad, SDM, 3, EXACT),
    (sdmgrad, {**SDM, "step_size": 0.2}, 3, EXACT),
    (sdmgrad, {**SDM, "batches": "one"}, 1, SOLVED),
    (upgrad, {}, 1, SOLVED),
    (dualproj, {}, 1, SOLVED),
    (config, {}, 1, EXACT),
)


def make_case(rng, method, options, samples, tolerance, m):
    act = method(m, options)
    losses = rng.uniform(0.2, 2.0, m)
    mean = rng.standard_normal((m, m + 3)) + 0.3 * rng.standard_normal(m + 3)
    steps = []
    for k in range(STEPS if m < 11 else STEPS - 1):
        rows = np.vstack([mean + 0.4 * rng.standard_normal(mean.shape) for _ in range(samples)]).round(4)
        given = losses.round(4)
        losses = losses * rng.uniform(0.7, 1.02, m)
        after = losses.round(4)
        direction, heads = act(k, given, after, rows)
        steps.append({"losses": given, "losses_after": after, "gradients": rows, "directions": np.array([direction]), "heads": heads})
    return {
        "method": method.__name__,
        "options": options,
        "tolerance": tolerance,
        "steps": [{key: value.tolist() for key, value in step.items()} for step in steps],
    }


def main():
    rng = np.random.default_rng(SEED)
    cases = [make_case(rng, *entry, m) for entry in RUNS for m in SIZES]
    versions = {module.__name__: module.__version__ for module in (np, scipy, cvxopt, torch)}
    document = {
        "made_by": "tools/golden/weightings_b.py",
        "versions": {"python": platform.python_version(), **versions},
        "seed": SEED,
        "cases": cases,
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "weightings_b.json"
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")
    print(f"{path}: {len(cases)} cases, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
