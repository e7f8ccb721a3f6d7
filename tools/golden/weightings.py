"""Writes tests/golden/weightings.json: the weightings of several tasks, from the papers' formulas on explicit gradients.

Nothing here knows the Gramian tricks or the solvers of the library: plain vectors, and generic iterations run to the
end. Run by hand with Debian's python3-numpy:  /usr/bin/python3 tools/golden/weightings.py

A case: method, options, steps. A step: gradients, losses, `directions` (the answer, or all the answers that random
orders may lead to) and, where given, `heads`. `weightings_b.py` writes further cases in the same form.
"""

import itertools
import json
import pathlib
import platform

import numpy as np

SEED = 20240608


# --- input and output ----------------------------------------------------------------------------------------------


def conflicted(rng, m, columns=6):
    """Two camps that pull apart; moderate lengths."""
    common = rng.standard_normal(columns)
    sides = np.where(np.arange(m) % 2 == 0, 1.2, -0.8)
    rows = rng.standard_normal((m, columns)) + sides[:, None] * common
    return rows * 10.0 ** rng.uniform(-0.5, 0.5, (m, 1))


def inputs(rng, m, count):
    return [(conflicted(rng, m), rng.uniform(0.3, 3.0, m)) for _ in range(count)]


def case(method, options, steps, answers):
    """`answers`: one (directions, heads) a step."""
    entries = []
    for (gradients, losses), (directions, heads) in zip(steps, answers):
        entry = {"gradients": gradients.tolist(), "losses": losses.tolist()}
        entry["directions"] = [np.asarray(direction).tolist() for direction in directions]
        if heads is not None:
            entry["heads"] = np.asarray(heads).tolist()
        entries.append(entry)
    return {"method": method, "options": options, "steps": entries}


def write(name, cases):
    document = {
        "made_by": f"tools/golden/{name}.py",
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "seed": SEED,
        "cases": cases,
    }
    path = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden" / f"{name}.json"
    path.write_text(json.dumps(document) + "\n")
    print(f"{path}: {len(cases)} cases, {path.stat().st_size} bytes")


# --- generic tools -------------------------------------------------------------------------------------------------


def onto_simplex(point):
    """The nearest point of the simplex, by bisection on the shift."""
    low, high = point.min() - 1, point.max()
    for _ in range(64):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(point - middle, 0).sum() > 1 else (low, middle)
    weights = np.maximum(point - (low + high) / 2, 0)
    return weights / weights.sum()


def minimise_on_simplex(value, gradient, m, steps=20000):
    """Projected gradient with a step that is halved until it descends enough."""
    weights = np.full(m, 1.0 / m)
    step = 1.0
    for _ in range(steps):
        slope, here = gradient(weights), value(weights)
        step *= 2
        while True:
            moved = onto_simplex(weights - step * slope)
            change = moved - weights
            if value(moved) <= here + slope @ change + change @ change / (2 * step) + 1e-16 * abs(here):
                break
            step /= 2
        if np.abs(change).max() < 1e-13:
            break
        weights = moved
    return weights


class Adam:
    def __init__(self, start, step_size):
        self.value, self.step_size = np.array(start, dtype=float), step_size
        self.first, self.second, self.count = np.zeros_like(self.value), np.zeros_like(self.value), 0

    def descend(self, gradient):
        self.count += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient**2 - self.second)
        mean, square = self.first / (1 - 0.9**self.count), self.second / (1 - 0.999**self.count)
        self.value -= self.step_size * mean / (np.sqrt(square) + 1e-8)


def orders_of_others(m):
    """Every way in which each task may meet the others."""
    each = [list(itertools.permutations([j for j in range(m) if j != i])) for i in range(m)]
    return itertools.product(*each)


# --- the methods ---------------------------------------------------------------------------------------------------


def equal(gradients, losses):
    return [gradients.sum(axis=0)], np.ones(len(losses))


def uncertainty(steps, start, step_size):
    scales = Adam(np.full(len(steps[0][1]), start), step_size)
    for gradients, losses in steps:
        weights = 1 / (2 * np.exp(scales.value))
        yield [weights @ gradients], weights
        scales.descend(-losses / (2 * np.exp(scales.value)) + 0.5)


def min_norm(gradients, losses, normalise):
    lengths = np.linalg.norm(gradients, axis=1)
    size = {"none": np.ones(len(losses)), "l2": lengths, "loss": losses, "loss+": losses * lengths}[normalise]
    rows = gradients / size[:, None]
    value = lambda w: float(np.sum((w @ rows) ** 2)) / 2
    weights = minimise_on_simplex(value, lambda w: rows @ (w @ rows), len(rows))
    return [weights @ rows], np.ones(len(losses))


def surgery(gradients, losses):
    answers = []
    for orders in orders_of_others(len(losses)):
        total = np.zeros(gradients.shape[1])
        for i, order in enumerate(orders):
            own = gradients[i].copy()
            for j in order:
                product = own @ gradients[j]
                if product < 0:
                    own -= product / (gradients[j] @ gradients[j]) * gradients[j]
            total += own
        answers.append(total)
    return answers, np.ones(len(losses))


def sign_dropout(gradients, losses):
    """Each coordinate keeps its positive or its negative part: all ways, for a few columns."""
    positive, negative = np.maximum(gradients, 0).sum(axis=0), np.minimum(gradients, 0).sum(axis=0)
    sure = [(value,) if (gradients[:, c] > 0).all() or (gradients[:, c] < 0).all() else (positive[c], negative[c])
            for c, value in enumerate(gradients.sum(axis=0))]
    return [np.array(choice) for choice in itertools.product(*sure)], np.ones(len(losses))


def vaccine(steps, decay):
    """Two tasks: there is one order only."""
    targets = np.zeros((2, 2))
    for gradients, losses in steps:
        total = np.zeros(gradients.shape[1])
        for i, j in ((0, 1), (1, 0)):
            own, other = gradients[i].copy(), gradients[j]
            cosine = own @ other / np.linalg.norm(own) / np.linalg.norm(other)
            target = targets[i, j]
            if cosine < target:
                rise = target * np.sqrt(1 - cosine**2) - cosine * np.sqrt(1 - target**2)
                own += np.linalg.norm(own) * rise / (np.linalg.norm(other) * np.sqrt(1 - target**2)) * other
            targets[i, j] = (1 - decay) * target + decay * cosine
            total += own
        yield [total], np.ones(2)


def conflict_averse(gradients, losses, radius, rescale):
    mean = gradients.mean(axis=0)
    distance = radius * np.linalg.norm(mean)
    mixed = lambda w: w @ gradients
    value = lambda w: mixed(w) @ mean + distance * np.linalg.norm(mixed(w))
    slope = lambda w: gradients @ (mean + distance * mixed(w) / np.linalg.norm(mixed(w)))
    best = mixed(minimise_on_simplex(value, slope, len(losses)))
    direction = mean + distance * best / np.linalg.norm(best)
    return [direction / (1 + radius**2) if rescale else direction], np.ones(len(losses))


def impartial_gradients(gradients):
    """alpha_2..m = g_1 U' (D U')^-1 with D_i = g_1 - g_i, U_i = u_1 - u_i; alpha_1 = 1 - the rest."""
    unit = gradients / np.linalg.norm(gradients, axis=1)[:, None]
    differences, turns = gradients[0] - gradients[1:], unit[0] - unit[1:]
    rest = gradients[0] @ turns.T @ np.linalg.inv(differences @ turns.T)
    return np.append(1 - rest.sum(), rest)


def impartial(steps, variant, step_size):
    scales = Adam(np.zeros(len(steps[0][1])), step_size)
    for gradients, losses in steps:
        factors = np.exp(scales.value)
        scaled = factors[:, None] * gradients
        alpha = np.ones(len(losses)) if variant == "loss" else impartial_gradients(scaled)
        yield [alpha @ scaled], factors
        if variant != "gradient":
            scales.descend(factors * losses - 1)


def bargain(gradients, losses, clip):
    """G a = 1/a by exact minimisation of 1/2 a'Ga - sum log a in one coordinate after another."""
    gramian = gradients @ gradients.T
    gramian /= np.linalg.norm(gramian)
    a = np.ones(len(losses))
    for _ in range(20000):
        for i in range(len(a)):
            others = gramian[i] @ a - gramian[i, i] * a[i]
            a[i] = (-others + np.sqrt(others**2 + 4 * gramian[i, i])) / (2 * gramian[i, i])
        if np.abs(a * (gramian @ a) - 1).max() < 1e-14:
            break
    direction = a @ gradients
    length = np.linalg.norm(direction)
    return [direction * min(1, clip / length) if clip > 0 else direction], a


# --- the cases -----------------------------------------------------------------------------------------------------


def each_step(method, options, steps, answer):
    return case(method, options, steps, [answer(gradients, losses) for gradients, losses in steps])


def positive_sum(steps):
    """IMTL divides by the sum of the weights; the library departs from the paper where that is not well above 0."""
    return [step for step in steps if impartial_well_posed(step[0])]


def impartial_well_posed(gradients):
    alpha = impartial_gradients(gradients)
    unit = gradients / np.linalg.norm(gradients, axis=1)[:, None]
    return np.abs(alpha).sum() < 20 and (unit @ (alpha @ gradients)).min() > 0


def main():
    rng = np.random.default_rng(SEED)
    cases = [each_step("ew", {}, inputs(rng, 3, 1), equal)]
    steps = inputs(rng, 3, 6)
    cases.append(case("uw", {"start": -0.5, "step_size": 0.05}, steps, uncertainty(steps, -0.5, 0.05)))
    for normalise in ("none", "l2", "loss", "loss+"):
        answer = lambda g, l: min_norm(g, l, normalise)
        for m in (2, 3, 5):
            cases.append(each_step("mgda", {"normalise": normalise}, inputs(rng, m, 1), answer))
    for m in (2, 3):
        cases.append(each_step("pcgrad", {}, inputs(rng, m, 3), surgery))
    cases.append(each_step("graddrop", {}, [(g[:, :4], l) for g, l in inputs(rng, 3, 3)], sign_dropout))
    for decay in (0.5, 0.1):
        steps = inputs(rng, 2, 8)
        cases.append(case("gradvac", {"decay": decay}, steps, vaccine(steps, decay)))
    for radius, rescale in ((0.5, True), (0.2, False), (0.9, True)):
        answer = lambda g, l: conflict_averse(g, l, radius, rescale)
        for m in (2, 3, 5):
            cases.append(each_step("cagrad", {"radius": radius, "rescale": rescale}, inputs(rng, m, 1), answer))
    for variant in ("gradient", "loss", "both"):
        for m in (2, 3, 5):
            steps = positive_sum(inputs(rng, m, 5))
            options = {"variant": variant, "step_size": 0.01}
            cases.append(case("imtl", options, steps, impartial(steps, variant, 0.01)))
    for clip in (1, 0):
        for m in (2, 3, 5):
            answer = lambda g, l: bargain(g, l, clip)
            cases.append(each_step("nashmtl", {"clip": clip, "ridge": 0}, inputs(rng, m, 2), answer))
    write("weightings", cases)


if __name__ == "__main__":
    main()
