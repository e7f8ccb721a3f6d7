"""Aggregators in plain PyTorch, as one would write them: what ours are compared with, for their results and for speed.

Products are summed in double precision, as ours are.
"""
import torch


def gramian(rows):
    exact = rows.double()
    return exact @ exact.T


def combined(weights, rows):
    return weights.to(rows.dtype) @ rows


def ew(rows):
    return rows.sum(0)


def mgda(rows, iterations=100):
    """Frank-Wolfe on the simplex, with exact line search."""
    products = gramian(rows)
    weights = torch.full((len(rows),), 1 / len(rows), dtype=torch.float64)
    for _ in range(iterations):
        towards = torch.zeros_like(weights)
        towards[(products @ weights).argmin()] = 1
        a, b, c = weights @ products @ weights, weights @ products @ towards, towards @ products @ towards
        denominator = a - 2 * b + c
        step = ((a - b) / denominator).clamp(0, 1) if denominator > 0 else torch.zeros((), dtype=torch.float64)
        weights = (1 - step) * weights + step * towards
        if step * denominator.sqrt() < 1e-9 * a.sqrt():
            break
    return combined(weights, rows)


def pcgrad(rows, orders):
    """`orders[i]`: in which order task i looks at the others. All of it can be told on the Gramian."""
    products = gramian(rows)
    total = torch.zeros(len(rows), dtype=torch.float64)
    for i, order in enumerate(orders):
        coefficients = torch.zeros(len(rows), dtype=torch.float64)
        coefficients[i] = 1
        for j in order:
            product = coefficients @ products[j]
            if product < 0:
                coefficients[j] -= product / products[j, j]
        total += coefficients
    return combined(total, rows)


def upgrad(rows, iterations=2000):
    """Each gradient projected onto the dual cone of all, by projected gradient steps on its dual; then the mean."""
    products = gramian(rows)
    step = 1 / torch.linalg.eigvalsh(products)[-1]
    total = torch.zeros(len(rows), dtype=torch.float64)
    for i in range(len(rows)):
        unit = torch.zeros(len(rows), dtype=torch.float64)
        unit[i] = 1
        multipliers = torch.zeros(len(rows), dtype=torch.float64)
        for _ in range(iterations):
            multipliers = (multipliers - step * (products @ (multipliers + unit))).clamp(min=0)
        total += unit + multipliers
    return combined(total / len(rows), rows)
