"""Writes tests/golden/weightings_c.json: further forms and hard cases of weightings, from the gradients themselves.

STCH on the losses as they are: the derivative of its formula by complex steps. ConFIG where gradients are almost
dependent: NumPy's pseudo-inverse of the unit gradients, which never sees a Gramian.

Run by hand with Debian's python3-numpy:  /usr/bin/python3 tools/golden/weightings_c.py
"""

import json
import pathlib
import platform

import numpy as np

SEED = 20260301
TINY = 1e-100  # f(x + i h) = f(x) + i h f'(x) + O(h^2), without a difference of nearly equal numbers


def smooth_maximum(losses, mu, ideal, preference):
    return mu * np.log(np.exp(preference * (losses - ideal) / mu).sum())


def slopes(losses, mu, ideal, preference):
    m = len(losses)
    ideal = np.array(ideal) if ideal else np.zeros(m)
    preference = np.array(preference) if preference else np.full(m, 1 / m)
    moved = [losses + 1j * TINY * np.eye(m)[i] for i in range(m)]
    return np.array([smooth_maximum(each, mu, ideal, preference).imag / TINY for each in moved])


def equal_cosines(rows):
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    best = np.linalg.pinv(units) @ np.ones(len(rows))
    best /= np.linalg.norm(best)
    return (rows @ best).sum() * best


def stch_case(rng, m, mu, ideal=None, preference=None):
    options = {"form": "loss", "mu": mu}
    if ideal:
        options["ideal"] = ideal
    if preference:
        options["preference"] = preference
    steps = []
    for _ in range(3):
        rows, losses = rng.standard_normal((m, m + 3)).round(4), rng.uniform(-1.0, 3.0, m).round(4)
        weights = slopes(losses, mu, ideal, preference)
        steps.append({"losses": losses, "gradients": rows, "directions": np.array([weights @ rows]), "heads": weights})
    return {"method": "stch", "options": options, "tolerance": 1e-12, "steps": steps}


def config_case(rng, m, apart, tolerance):
    """The last gradient is a sum of the others, but for a part of length `apart`."""
    rows = rng.standard_normal((m, m + 4))
    rows[-1] = rows[:-1].sum(axis=0) + apart * rng.standard_normal(m + 4)
    rows *= 10.0 ** rng.uniform(-2, 2, (m, 1))
    direction = equal_cosines(rows)
    step = {"losses": np.ones(m), "gradients": rows, "directions": np.array([direction]), "heads": np.ones(m)}
    return {"method": "config", "options": {}, "tolerance": tolerance, "steps": [step]}


def main():
    rng = np.random.default_rng(SEED)
    cases = [stch_case(rng, m, mu) for m in (2, 3, 11) for mu in (1.0, 0.1, 0.01)]
    cases.append(stch_case(rng, 3, 0.5, ideal=[-1.5, 0.25, -1.0]))
    cases.append(stch_case(rng, 3, 0.5, ideal=[-1.5, 0.25, -1.0], preference=[0.2, 0.5, 0.3]))
    for m in (3, 11):
        # eigenvalues of the Gramian are known to about 1e-15, and are squares: the length is known to 1e-14 / apart^2
        cases += [config_case(rng, m, 1e-2, 1e-9), config_case(rng, m, 1e-3, 1e-7), config_case(rng, m, 1e-4, 1e-5)]
        cases += [config_case(rng, m, 1e-5, 1e-3)]
    for case in cases:
        case["steps"] = [{key: value.tolist() for key, value in step.items()} for step in case["steps"]]
    document = {
        "made_by": "tools/golden/weightings_c.py",
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "seed": SEED,
        "cases": cases,
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / "weightings_c.json"
    path.write_text(json.dumps(document, separators=(",", ":")) + "\n")
    print(f"{path}: {len(cases)} cases, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
