#!/usr/bin/python3
"""Writes tests/golden/forum_synthetic.json: FORUM on the synthetic problem (Appendix C), in plain NumPy.

An independent implementation: gradients by hand, the QP (m = 2) by exact minimisation of the piecewise quadratic in
lambda_1, no code shared with the library.  Run by hand; the tests only read the result.
"""
import json
import pathlib

import numpy as np

MU, ETA, T, RHO, K = 0.3, 0.05, 50, 0.3, 1000
KEPT = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000]


def gradients(a, w):
    """Rows over (a, w1, w2) of F_1, F_2; F_i = |w - (i, a)|^2."""
    return np.array([[-2 * (w[1] - a), 2 * (w[0] - c), 2 * (w[1] - a)] for c in (1.0, 2.0)])


def constraint_gradient(a, w):
    reached = w.copy()
    for _ in range(T):
        reached -= ETA * 2 * (reached - a)
    d_alpha = lambda v: -2 * np.sum(v - a)
    return np.array([d_alpha(w) - d_alpha(reached), *(2 * (w - a))])


def dual_weights(g, q, multiplier):
    """Minimises 1/2|l g_1 + (1-l) g_2 + nu q|^2 - nu phi over l in [0, 1] with nu = max(linear in l, 0): on each side of
    the kink a parabola in l."""
    s, phi = q @ q, RHO / 2 * (q @ q)
    pi = ((2 if multiplier == "paper" else 1) * phi - g @ q) / s

    def value(l):
        lam = np.array([l, 1 - l])
        nu = max(lam @ pi, 0.0)
        d = lam @ g + nu * q
        return 0.5 * d @ d - nu * phi

    candidates = [0.0, 1.0]
    slope = pi[0] - pi[1]
    if slope != 0:
        candidates.append(-pi[1] / slope)  # the kink
    for use_nu in (False, True):  # stationary point of the parabola d(l) = u + l v, nu(l) = n0 + l n1
        n0, n1 = (pi[1], slope) if use_nu else (0.0, 0.0)
        u, v = g[1] + n0 * q, (g[0] - g[1]) + n1 * q
        if v @ v > 0:
            candidates.append((n1 * phi - u @ v) / (v @ v))
    feasible = [min(max(c, 0.0), 1.0) for c in candidates]
    best = min(feasible, key=value)
    return np.array([best, 1 - best]), pi


def run(alpha, omega, multiplier):
    a, w, smooth, kept = float(alpha), np.array(omega, float), np.array([0.5, 0.5]), []
    for k in range(K):
        g, q = gradients(a, w), constraint_gradient(a, w)
        lam, pi = dual_weights(g, q, multiplier)
        beta = (k + 1) ** -0.75
        smooth = (1 - beta) * smooth + beta * lam
        d = -(smooth @ g + max(smooth @ pi, 0.0) * q)
        a, w = a + MU * d[0], w + MU * d[1:]
        if k + 1 in KEPT:
            kept.append({"iterations": k + 1, "z": [a, *w.tolist()], "weights": smooth.tolist()})
    return kept


def main():
    cases = [{"alpha": alpha, "omega": omega, "multiplier": multiplier, "points": run(alpha, omega, multiplier)}
             for multiplier in ("paper", "exact") for alpha, omega in ((0, (0, 3)), (2, (0, 3)), (2, (3, 3)))]
    document = {"made_by": "tools/golden/forum_synthetic.py", "numpy": np.__version__, "seed": None,
                "options": {"mu": MU, "eta": ETA, "T": T, "rho": RHO}, "cases": cases}
    path = pathlib.Path(__file__).parents[2] / "tests/golden/forum_synthetic.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    for case in cases:
        a, w1, w2 = case["points"][-1]["z"]
        print(case["multiplier"], case["alpha"], case["omega"], "->", a, w1, w2)


main()
