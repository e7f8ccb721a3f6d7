"""Writes tests/golden/qp.json: the min-norm problem and both FORUM duals, solved by cvxopt.

Run by hand with Debian's python3-cvxopt and python3-numpy:  /usr/bin/python3 tools/golden/qp.py
"""

import json
import pathlib
import platform

import cvxopt
import numpy as np

SEED = 20240607
SIZES = (2, 3, 5, 11)
CASES_PER_SIZE = 10
FLOORS = (0.0, 1e-8, 0.5)
KINK_FACTOR = 1.05

TOLERANCES = (1e-13, 1e-12, 1e-11, 1e-10)  # the first that the interior-point method can certify

cvxopt.solvers.options.update(show_progress=False, maxiters=200)


def solve(hessian, linear, inequality, equality, bound=None):
    """min 1/2 x'Hx + c'x  s.t.  inequality x <= bound (0 unless given), equality x = 1."""
    matrix = lambda a: cvxopt.matrix(np.asarray(a, dtype=float))
    bound = np.zeros(len(inequality)) if bound is None else bound
    for tolerance in TOLERANCES:
        cvxopt.solvers.options.update(abstol=tolerance, reltol=tolerance, feastol=tolerance)
        data = (hessian, linear, inequality, bound, equality[None, :], [1.0])
        answer = cvxopt.solvers.qp(*map(matrix, data), kktsolver="ldl")
        if answer["status"] == "optimal":
            return np.array(answer["x"]).ravel(), tolerance
    raise RuntimeError("cvxopt did not certify an answer")


def min_norm(gramian):
    m = len(gramian)
    weights, tolerance = solve(gramian, np.zeros(m), -np.eye(m), np.ones(m))
    return {"weights": weights.tolist(), "objective": float(weights @ gramian @ weights) / 2, "tolerance": tolerance}


def forum(gramian, phi, floor, kind):
    m = len(gramian) - 1
    product, square = gramian[:m, m], gramian[m, m]
    linear = np.append(np.zeros(m), -phi)
    rows = [-np.eye(m + 1)]
    if kind == "paper":
        rows.append(np.append((2 * phi - product) / (square + floor), -1.0)[None, :])
    point, tolerance = solve(gramian, linear, np.vstack(rows), np.append(np.ones(m), 0.0))
    return {
        "weights": point[:m].tolist(),
        "multiplier": float(point[m]),
        "objective": float(point @ gramian @ point / 2 + linear @ point),
        "tolerance": tolerance,
    }


def make_case(rng, m, index):
    rows = rng.standard_normal((m + 1, m + 3))
    rows[:m] += rng.uniform(-1, 1) * rng.standard_normal(m + 3)
    rows *= 10.0 ** rng.uniform(-0.5, 0.5, (m + 1, 1))
    gramian = rows @ rows.T
    shortest = min_norm(gramian[:m, :m])
    phi = rng.uniform(0.05, 1.5) / 2 * gramian[m, m]
    product = float(gramian[m, :m] @ shortest["weights"])
    if index % 2 == 1 and product > 0:
        phi = KINK_FACTOR * product / 2  # just past the phi at which gamma stays 0: the kink gamma = 0 = lambda'pi
    floor = FLOORS[index % len(FLOORS)]
    return {
        "m": m,
        "gramian": gramian.tolist(),
        "phi": float(phi),
        "floor": floor,
        "min_norm": shortest,
        "paper": forum(gramian, phi, floor, "paper"),
        "exact": forum(gramian, phi, floor, "exact"),
    }


def at_kink(case):
    gramian = np.array(case["gramian"])
    product = gramian[-1, :-1] @ case["paper"]["weights"]
    return abs(2 * case["phi"] - product) < 1e-6 * abs(product) and abs(case["paper"]["multiplier"]) < 1e-6


def main():
    rng = np.random.default_rng(SEED)
    cases = [make_case(rng, m, index) for m in SIZES for index in range(CASES_PER_SIZE)]
    document = {
        "made_by": "tools/golden/qp.py",
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "cvxopt": cvxopt.__version__},
        "seed": SEED,
        "cases": cases,
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "qp.json"
    path.write_text(json.dumps(document) + "\n")
    print(f"{path}: {len(cases)} cases, {sum(at_kink(case) for case in cases)} at the kink")


if __name__ == "__main__":
    main()
