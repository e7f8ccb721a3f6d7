"""Writes tests/golden/qp_preference.json: FORUM's duals with merits and limits, solved by cvxopt.

Run by hand with Debian's python3-cvxopt and python3-numpy:  /usr/bin/python3 tools/golden/qp_preference.py
"""

import json
import pathlib
import platform

import cvxopt
import numpy as np
from qp import solve

SEED = 20261118
SIZES = ((2, 0), (3, 0), (2, 1), (3, 2), (7, 3))  # objectives, limits
CASES_PER_SIZE = 8


def forum(case, kind):
    """Variables lambda, kappa, gamma; sum_j kappa_j |a_j| <= C; b holds the products of all rows with q."""
    gramian, m = np.array(case["gramian"]), case["m"]
    rows, limits = len(gramian) - 1, len(case["allowed"])
    product, square, phi = gramian[:rows, rows], gramian[rows, rows], case["phi"]
    linear = np.concatenate([-np.array(case["merits"]), case["allowed"], [-phi]])
    inequality, bound = [-np.eye(rows + 1)], [np.zeros(rows + 1)]
    if limits:
        lengths = np.sqrt(np.diag(gramian)[m:rows])
        inequality.append(np.concatenate([np.zeros(m), lengths, [0.0]])[None, :])
        bound.append([case["limit_bound"]])
    if kind == "paper":
        constant = np.where(np.arange(rows) < m, 2 * phi, 0.0)  # sum of lambda is 1
        inequality.append(np.append((constant - product) / (square + case["floor"]), -1.0)[None, :])
        bound.append([0.0])
    simplex = np.where(np.arange(rows + 1) < m, 1.0, 0.0)
    point, tolerance = solve(gramian, linear, np.vstack(inequality), simplex, np.concatenate(bound))
    return {
        "weights": point[:m].tolist(),
        "limit_multipliers": point[m:rows].tolist(),
        "multiplier": float(point[rows]),
        "objective": float(point @ gramian @ point / 2 + linear @ point),
        "tolerance": tolerance,
    }


def make_case(rng, m, limits, index):
    rows = rng.standard_normal((m + limits + 1, m + limits + 3))
    rows *= 10.0 ** rng.uniform(-0.3, 0.3, (len(rows), 1))
    gramian = rows @ rows.T
    case = {
        "m": m,
        "gramian": gramian.tolist(),
        "merits": (10.0 ** rng.uniform(-1, 1) * rng.uniform(0, 1, m)).tolist(),
        "allowed": (rng.uniform(-1, 0.5, limits) * np.diag(gramian)[m : m + limits]).tolist(),
        "limit_bound": float((0.3 if index % 3 == 0 else 30) * np.sqrt(np.diag(gramian)[:m].max())),
        "phi": float(rng.uniform(0.05, 1.5) / 2 * gramian[-1, -1]),
        "floor": (0.0, 0.5)[index % 2],
    }
    return {**case, "paper": forum(case, "paper"), "exact": forum(case, "exact")}


def main():
    rng = np.random.default_rng(SEED)
    cases = [make_case(rng, m, limits, index) for m, limits in SIZES for index in range(CASES_PER_SIZE)]
    document = {
        "made_by": "tools/golden/qp_preference.py",
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "cvxopt": cvxopt.__version__},
        "seed": SEED,
        "cases": cases,
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "qp_preference.json"
    path.write_text(json.dumps(document) + "\n")
    print(f"{path}: {len(cases)} cases")


if __name__ == "__main__":
    main()
