"""A summary as HTML with drawn curves: no script, no network, light and dark."""
from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, List, Sequence, Tuple

import torch

if TYPE_CHECKING:
    from .results import Summary

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 340, 190, 52, 24, 8
COLOURS = ("#2a6fdb", "#d9532c", "#2b9348", "#8a4fbf", "#b8860b", "#0e9aa7", "#c2185b", "#6b7280")
Curve = Tuple[str, List[float]]


def _number(value: float) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.5g}"


def _row(name: str, value: str) -> str:
    return f'<tr><th style="text-align:left;padding-right:1em">{html.escape(name)}</th><td>{html.escape(value)}</td></tr>'


def _table(summary: "Summary") -> str:
    rows = [_row("status", summary.status), _row("iterations", f"{summary.iterations:,} in {summary.seconds:.2f} s")]
    weights = summary.weights if len(summary.weights) == len(summary.losses) else [math.nan] * len(summary.losses)
    for name, loss, weight in zip(summary.objectives, summary.losses, weights):
        rows.append(_row(name, f"{_number(loss)}  (weight {_number(weight)})"))
    rows.append(_row("f, q, K", ", ".join(_number(value) for value in (summary.lower_loss, summary.q, summary.kkt))))
    if summary.refit:
        rows.append(_row("with the lower level solved again", ", ".join(map(_number, summary.refit.alone.losses))))
    for warning in summary.warnings:
        rows.append(_row("warning", warning))
    if not summary.succeeded:
        rows.append(_row("message", summary.message))
    return f"<table>{''.join(rows)}</table>"


def _thinned(values: torch.Tensor, most: int = 400) -> torch.Tensor:
    step = max(1, math.ceil(len(values) / most))
    return values[::step]


def _path(x: Sequence[float], y: Sequence[float], low: float, high: float) -> str:
    first, last = x[0], x[-1]
    points = []
    for at, value in zip(x, y):
        across = LEFT + (WIDTH - LEFT - 8) * ((at - first) / (last - first) if last > first else 0.5)
        up = (value - low) / (high - low) if high > low else 0.5
        points.append(f"{across:.1f},{TOP + (HEIGHT - TOP - BOTTOM) * (1 - up):.1f}")
    return " ".join(points)


def _chart(title: str, x: List[float], curves: List[Curve], logarithmic: bool) -> str:
    if logarithmic:
        curves = [(name, [math.log10(v) if v > 0 else math.nan for v in values]) for name, values in curves]
    finite = [v for _, values in curves for v in values if math.isfinite(v)]
    if len(x) < 2 or not finite:
        return ""
    low, high = min(finite), max(finite)
    drawn = []
    for number, (name, values) in enumerate(curves):
        pairs = [(a, v) for a, v in zip(x, values) if math.isfinite(v)]
        if len(pairs) < 2:
            continue
        colour = COLOURS[number % len(COLOURS)]
        drawn.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="'
                     f'{_path([p[0] for p in pairs], [p[1] for p in pairs], low, high)}"/>')
        drawn.append(f'<text x="{WIDTH - 10}" y="{TOP + 12 + 13 * number}" text-anchor="end" fill="{colour}" '
                     f'font-size="11">{html.escape(name)}</text>')
    ends = [f"{10 ** v:.1e}" if logarithmic else f"{v:.4g}" for v in (low, high)]
    axis = HEIGHT - BOTTOM
    return (f'<figure style="display:inline-block;margin:4px 10px 4px 0"><figcaption>{html.escape(title)}</figcaption>'
            f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" fill="currentColor">'
            f'<path d="M{LEFT} {TOP} V{axis} H{WIDTH - 8}" fill="none" stroke="currentColor" opacity=".4"/>'
            f'<text x="{LEFT - 4}" y="{axis}" text-anchor="end" font-size="10">{ends[0]}</text>'
            f'<text x="{LEFT - 4}" y="{TOP + 9}" text-anchor="end" font-size="10">{ends[1]}</text>'
            f'<text x="{LEFT}" y="{HEIGHT - 8}" font-size="10">{x[0]:.0f}</text>'
            f'<text x="{WIDTH - 8}" y="{HEIGHT - 8}" text-anchor="end" font-size="10">{x[-1]:.0f}</text>'
            f"{''.join(drawn)}</svg></figure>")


def _columns(summary: "Summary", key: str) -> List[Curve]:
    values = summary.history.get(key)
    if values is None or values.dim() != 2 or values.shape[1] > len(COLOURS):
        return []
    names = summary.objectives if values.shape[1] == len(summary.objectives) else \
        [str(i + 1) for i in range(values.shape[1])]
    return [(name, _thinned(values[:, i]).tolist()) for i, name in enumerate(names)]


def page_of(summary: "Summary") -> str:
    charts = ""
    if "k" in summary.history:
        x = _thinned(summary.history["k"]).tolist()
        charts = _chart("upper losses", x, _columns(summary, "losses"), False)
        charts += _chart("weights", x, _columns(summary, "weights"), False)
        stationarity = [("K", _thinned(summary.history["kkt"]).tolist()), ("q", _thinned(summary.history["q"]).tolist())]
        charts += _chart("stationarity (log)", x, stationarity, True)
    return f"<div>{_table(summary)}{charts}</div>"
