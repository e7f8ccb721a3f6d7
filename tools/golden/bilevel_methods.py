#!/usr/bin/python3
"""Writes tests/golden/bilevel_methods.json: some iterations of the methods after FORUM, in plain NumPy.

An independent implementation: derivatives by hand, min-norm weights of two rows in closed form, no code shared with the
library.  Run by hand; the tests only read the result.
"""
import json
import pathlib

import numpy as np

ITERATIONS = 8


class Small:
    """f = 1/2 r'H r + kappa/12 sum w^4 + e^{a_0}/20 |w|^2, r = w - B a;
    F_i = 1/2 |w - u_i|^2 + 1/2 |a - v_i|^2 + t_i a'D w."""

    def __init__(self, rng, n=2, p=3):
        basis = np.linalg.qr(rng.normal(size=(p, p)))[0]
        self.H = basis @ np.diag(np.linspace(0.5, 1.5, p)) @ basis.T
        self.B, self.D = rng.normal(size=(p, n)), rng.normal(size=(n, p))
        self.u, self.v, self.t = rng.normal(size=(2, p)), rng.normal(size=(2, n)), np.array([0.2, -0.3])
        self.kappa, self.m = 0.4, 2
        self.alpha, self.omega = rng.normal(size=n), rng.normal(size=p)

    def lower_gradient(self, a, w):
        """(grad_a f, grad_w f)"""
        pull = self.H @ (w - self.B @ a)
        by_a = -self.B.T @ pull
        by_a[0] += np.exp(a[0]) / 20 * (w @ w)
        return by_a, pull + self.kappa / 3 * w ** 3 + np.exp(a[0]) / 10 * w

    def products(self, a, w, x):
        """((d2f/da dw) x, (d2f/dw2) x)"""
        mixed = -self.B.T @ (self.H @ x)
        mixed[0] += np.exp(a[0]) / 10 * (w @ x)
        return mixed, self.H @ x + self.kappa * w ** 2 * x + np.exp(a[0]) / 10 * x

    def losses(self, a, w):
        return np.array([0.5 * np.sum((w - self.u[i]) ** 2) + 0.5 * np.sum((a - self.v[i]) ** 2)
                         + self.t[i] * (a @ self.D @ w) for i in range(2)])

    def upper_gradients(self, a, w):
        """Rows over a, rows over w."""
        return (np.array([a - self.v[i] + self.t[i] * (self.D @ w) for i in range(2)]),
                np.array([w - self.u[i] + self.t[i] * (self.D.T @ a) for i in range(2)]))

    def document(self):
        return {key: np.asarray(getattr(self, key)).tolist()
                for key in ("H", "B", "D", "u", "v", "t", "kappa", "alpha", "omega")}


def min_norm(rows):
    """Of two rows."""
    a, b, c = rows[0] @ rows[0], rows[0] @ rows[1], rows[1] @ rows[1]
    first = min(max((c - b) / (a - 2 * b + c), 0.0), 1.0) if a - 2 * b + c > 0 else 0.5
    return np.array([first, 1 - first])


def projected(point):
    """Onto the simplex, by bisection on the shift."""
    low, high = np.min(point) - 1, np.max(point)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sum(np.maximum(point - middle, 0)) > 1 else (low, middle)
    return np.maximum(point - (low + high) / 2, 0)


def f2sa(problem, o, iterations=ITERATIONS, weigh=min_norm, kept=None):
    a, z = problem.alpha.copy(), problem.omega.copy()
    y = [z.copy() for _ in range(problem.m)]
    for k in range(iterations):
        s = o["penalty"] * (k + 1) ** o["penalty_exponent"]
        for _ in range(o["inner_steps"]):
            z = z - o["inner_step_size"] * problem.lower_gradient(a, z)[1]
            y = [x - o["inner_step_size"] * (problem.lower_gradient(a, x)[1] + problem.upper_gradients(a, x)[1][i] / s)
                 for i, x in enumerate(y)]
        at_z = problem.lower_gradient(a, z)[0]
        h = np.array([problem.upper_gradients(a, x)[0][i] + s * (problem.lower_gradient(a, x)[0] - at_z)
                      for i, x in enumerate(y)])
        weights = weigh(h)
        rest = np.array([np.sum((problem.upper_gradients(a, x)[1][i] + s * problem.lower_gradient(a, x)[1]) ** 2)
                         for i, x in enumerate(y)])
        if kept is not None:
            kept.append({"weights": weights, "kkt": np.sum((weights @ h) ** 2) + weights @ rest,
                         "losses": problem.losses(a, z)})
        a = a - o["alpha_step"] * o["penalty"] / s * (weights @ h)
        if kept is not None:
            kept[-1].update(alpha=a, omega=z)
    return a, z


def gmoba(problem, o, iterations=ITERATIONS, weigh=min_norm, kept=None):
    a, w = problem.alpha.copy(), problem.omega.copy()
    v = np.zeros((problem.m, w.size))
    for k in range(iterations):
        h, r = (rows.copy() for rows in problem.upper_gradients(a, w))
        for i in range(problem.m):
            mixed, inner = problem.products(a, w, v[i])
            h[i] -= mixed
            r[i] -= inner
        weights, slope = weigh(h), problem.lower_gradient(a, w)[1]
        if kept is not None:
            kept.append({"weights": weights, "kkt": np.sum((weights @ h) ** 2) + np.sum((weights @ r) ** 2),
                         "losses": problem.losses(a, w)})
        a, w, v = a - o["alpha_step"] * (weights @ h), w - o["omega_step"] * slope, v + o["system_step_size"] * r
        if kept is not None:
            kept[-1].update(alpha=a, omega=w)
    return a, w


def morbit(problem, o, iterations=ITERATIONS, kept=None):
    """One lower step of size eta, J terms of the Neumann series at w_1."""
    a, w = problem.alpha.copy(), problem.omega.copy()
    weights = np.full(problem.m, 1 / problem.m)
    for k in range(iterations):
        eta = o["inner_step_size"]
        reached = w.copy()
        for _ in range(o["inner_steps"]):
            reached = reached - eta * problem.lower_gradient(a, reached)[1]
        h, right = problem.upper_gradients(a, reached)
        h = h.copy()
        for i in range(problem.m):
            term, total = right[i].copy(), np.zeros_like(w)
            for _ in range(o["solver_steps"]):
                total += eta * term
                term = term - eta * problem.products(a, reached, term)[1]
            h[i] -= problem.products(a, reached, total)[0]
        losses = problem.losses(a, reached)
        if kept is not None:
            kept.append({"weights": weights, "kkt": np.sum((weights @ h) ** 2), "losses": losses})
        a = a - o["alpha_step"] * (weights @ h)
        w = w - o["omega_step"] * problem.lower_gradient(a, w)[1]
        weights = projected(weights + o["gamma"] * (k + 1) ** -o["gamma_exponent"] * losses)
        if kept is not None:
            kept[-1].update(alpha=a, omega=w)
    return a, w


def wc_penalty(problem, o, iterations=ITERATIONS, kept=None):
    a, w = problem.alpha.copy(), problem.omega.copy()
    r = np.asarray(o.get("preference") or np.ones(problem.m), float)
    r = r / r.sum()
    weights = np.full(problem.m, 1 / problem.m)
    for k in range(iterations):
        penalty = o["penalty"] * (k + 1) ** o["penalty_exponent"]
        by_a, by_w = problem.upper_gradients(a, w)
        slope = problem.lower_gradient(a, w)[1]
        mixed, inner = problem.products(a, w, slope)
        step_a, step_w = (weights * r) @ by_a + penalty * mixed, (weights * r) @ by_w + penalty * inner
        losses = problem.losses(a, w)
        if kept is not None:
            kept.append({"weights": weights, "kkt": np.sum(step_a ** 2) + np.sum(step_w ** 2), "losses": losses,
                         "q": 0.5 * slope @ slope})
        shrink = o["penalty"] / penalty
        a, w = a - o["alpha_step"] * shrink * step_a, w - o["omega_step"] * shrink * step_w
        weights = projected(weights + o["gamma"] * (k + 1) ** -o["gamma_exponent"] * r * losses)
        if kept is not None:
            kept[-1].update(alpha=a, omega=w)
    return a, w


def forum_dual(g, q, rho):
    """lambda of FORUM's QP for two objectives, by exact minimisation on both sides of the kink of nu = max(l'pi, 0)."""
    s = q @ q
    phi, pi = rho / 2 * s, rho - g @ q / s

    def value(first):
        both = np.array([first, 1 - first])
        nu = max(both @ pi, 0.0)
        d = both @ g + nu * q
        return 0.5 * d @ d - nu * phi

    candidates = [0.0, 1.0]
    slope = pi[0] - pi[1]
    if slope != 0:
        candidates.append(-pi[1] / slope)
    for n0, n1 in ((0.0, 0.0), (pi[1], slope)):
        start, along = g[1] + n0 * q, g[0] - g[1] + n1 * q
        if along @ along > 0:
            candidates.append((n1 * phi - start @ along) / (along @ along))
    best = min((min(max(c, 0.0), 1.0) for c in candidates), key=value)
    return np.array([best, 1 - best]), pi


def forum_single(problem, o, iterations=ITERATIONS, weigh=forum_dual, kept=None):
    a, w, state = problem.alpha.copy(), problem.omega.copy(), None
    smooth = np.full(problem.m, 1 / problem.m)
    n = a.size
    for k in range(iterations):
        here = problem.lower_gradient(a, w)
        if state is None or (o["recentre_every"] > 0 and k % o["recentre_every"] == 0):
            state = w - o["inner_step_size"] * here[1]
        there = problem.lower_gradient(a, state)
        q = np.concatenate([here[0] - there[0], here[1]])
        g = np.hstack(problem.upper_gradients(a, w))
        weights, pi = weigh(g, q, o["rho"])
        beta = (k + 1) ** -o["beta_exponent"]
        smooth = (1 - beta) * smooth + beta * weights
        nu = max(smooth @ pi, 0.0)
        d = -(smooth @ g + nu * q)
        if kept is not None:
            kept.append({"weights": smooth, "kkt": d @ d, "losses": problem.losses(a, w), "nu": nu})
        a, w = a + o["alpha_step"] * d[:n], w + o["omega_step"] * d[n:]
        state = state - o["inner_step_size"] * there[1]
        if kept is not None:
            kept[-1].update(alpha=a, omega=w)
    return a, w


CASES = [
    ("f2sa", f2sa, {"penalty": 3.0, "penalty_exponent": 0.4, "inner_steps": 2, "inner_step_size": 0.3},
     {"alpha_step": 0.2}),
    ("f2sa", f2sa, {"penalty": 20.0, "penalty_exponent": 0.0, "inner_steps": 1, "inner_step_size": 0.4},
     {"alpha_step": 0.05}),
    ("gmoba", gmoba, {"system_step_size": 0.3}, {"alpha_step": 0.1, "omega_step": 0.2}),
    ("morbit", morbit, {"hypergradient": "neumann", "inner_steps": 1, "inner_step_size": 0.3, "solver_steps": 4,
                        "gamma": 0.3, "gamma_exponent": 0.6}, {"alpha_step": 0.1, "omega_step": 0.2}),
    ("wc_penalty", wc_penalty, {"penalty": 2.0, "penalty_exponent": 0.3, "gamma": 0.08, "gamma_exponent": 0.2},
     {"alpha_step": 0.05, "omega_step": 0.05}),
    ("wc_penalty", wc_penalty, {"preference": [3.0, 1.0], "penalty": 1.0, "penalty_exponent": 0.5, "gamma": 0.2,
                                "gamma_exponent": 0.0}, {"alpha_step": 0.05, "omega_step": 0.03}),
    ("forum_single", forum_single, {"inner_step_size": 0.3, "rho": 0.5, "beta_exponent": 0.75, "recentre_every": 3},
     {"alpha_step": 0.1, "omega_step": 0.2}),
    ("forum_single", forum_single, {"inner_step_size": 0.2, "rho": 0.3, "beta_exponent": 0.5, "recentre_every": 0},
     {"alpha_step": 0.1, "omega_step": 0.2}),
]


def main():
    problem, cases = Small(np.random.default_rng(18)), []
    for name, method, options, steps in CASES:
        kept = []
        method(problem, {**options, **steps}, kept=kept)
        points = [{key: np.asarray(value).tolist() for key, value in point.items()} for point in kept]
        cases.append({"method": name, "options": options, "alpha_step": steps["alpha_step"],
                      "omega_step": steps.get("omega_step", 0.1), "points": points})
    document = {"made_by": "tools/golden/bilevel_methods.py", "numpy": np.__version__, "seed": 18,
                "problem": problem.document(), "cases": cases}
    path = pathlib.Path(__file__).parents[2] / "tests/golden/bilevel_methods.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    for case in cases:
        print(case["method"], case["points"][-1]["losses"], case["points"][-1]["weights"])


if __name__ == "__main__":
    main()
