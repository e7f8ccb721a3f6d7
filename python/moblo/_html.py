"""A summary as HTML with drawn curves: no script, no network, light and dark."""
from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, List, Optional, Sequence, Tuple

import torch

if TYPE_CHECKING:
    from .results import Summary

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 340, 180, 56, 10, 8, 22
MOST_CURVES = 8
MOST_ROWS = 24  # of objectives
MOST_POINTS = 400
Curve = Tuple[str, List[float]]
Span = Tuple[float, float]

# Colours hold on light and on dark paper; notebooks that know their own theme say so in an attribute or a class.
DARK = ("--line: #4b5563; --soft: #9ca3af; --good: #4ade80; --bad: #f87171; --c0: #6ea8fe; --c1: #ff9466; "
        "--c2: #5fd38d; --c3: #c79bf2; --c4: #e5c453; --c5: #4fd0dc; --c6: #f48fb1; --c7: #b0b7c3;")
LIGHT = ("--line: #d1d5db; --soft: #6b7280; --good: #15803d; --bad: #b91c1c; --c0: #2563c9; --c1: #cf4a1f; "
         "--c2: #1f8a44; --c3: #7e3fb5; --c4: #9a6d00; --c5: #0b7f8c; --c6: #b8154f; --c7: #5b6472;")
STYLE = f"""<style>
.moblo-summary {{ {LIGHT} font: 13px/1.45 system-ui, sans-serif; color: inherit; max-width: 1120px; }}
@media (prefers-color-scheme: dark) {{ .moblo-summary {{ {DARK} }} }}
[data-jp-theme-light="true"] .moblo-summary, .vscode-light .moblo-summary {{ {LIGHT} }}
[data-jp-theme-light="false"] .moblo-summary, .vscode-dark .moblo-summary {{ {DARK} }}
.moblo-summary p {{ margin: 4px 0 8px; }}
.moblo-summary .good {{ color: var(--good); font-weight: 600; }}
.moblo-summary .bad {{ color: var(--bad); font-weight: 600; }}
.moblo-summary .asked {{ font-weight: 600; }}
.moblo-summary .soft {{ color: var(--soft); }}
.moblo-summary table {{ border-collapse: collapse; margin: 0 0 10px; font: inherit; }}
.moblo-summary th, .moblo-summary td {{ padding: 3px 14px 3px 0; text-align: right; background: none; color: inherit;
  border: 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }}
.moblo-summary th {{ font-weight: 600; }}
.moblo-summary th:first-child {{ text-align: left; }}
.moblo-summary thead th {{ color: var(--soft); font-weight: 400; }}
.moblo-summary figure {{ display: inline-block; margin: 0 18px 10px 0; vertical-align: top; }}
.moblo-summary figcaption {{ max-width: {WIDTH}px; margin: 0 0 2px; }}
.moblo-summary figcaption span {{ margin-left: 10px; white-space: nowrap; }}
.moblo-summary svg {{ display: block; overflow: visible; }}
.moblo-summary svg text {{ fill: var(--soft); font-size: 10px; font-variant-numeric: tabular-nums; }}
</style>"""


def _number(value: Optional[float]) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.5g}"


def _row(cells: Sequence[str], tag: str = "td") -> str:
    first = f"<th>{html.escape(cells[0])}</th>"
    return "<tr>" + first + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells[1:]) + "</tr>"


def _at(values: Sequence[float], i: int) -> str:
    return _number(values[i]) if i < len(values) else "–"


def _headline(summary: "Summary") -> str:
    measured = [f"{name} {_number(value)}" for name, value in
                (("f", summary.lower_loss), ("q", summary.q), ("K", summary.kkt)) if not math.isnan(value)]
    if summary.distance is not None:
        measured.append(f"distance {_number(summary.distance)}")
    mood = "good" if summary.succeeded else "asked" if summary.status in ("interrupted", "running") else "bad"
    lines = [f'<span class="{mood}">{html.escape(summary.status)}</span> after '
             f'{summary.iterations:,} iterations in {summary.seconds:.2f} s '
             f'<span class="soft">&nbsp; {html.escape(" · ".join(measured))}</span>']
    if not summary.succeeded and summary.message:
        lines.append(html.escape(summary.message))
    lines += [f'<span class="bad">warning:</span> {html.escape(warning)}' for warning in summary.warnings]
    return "".join(f"<p>{line}</p>" for line in lines)


def _table(summary: "Summary") -> str:
    """A row per objective and per metric; a column more where the lower level was solved again."""
    alone = summary.refit.alone if summary.refit else None
    head = ["", "at the end", "weight"] + (["lower level solved again"] if alone else [])
    rows = []
    for i, name in enumerate(summary.objectives[:MOST_ROWS]):
        rows.append([name, _at(summary.losses, i), _at(summary.weights, i)] + ([_at(alone.losses, i)] if alone else []))
    if len(summary.objectives) > MOST_ROWS:
        rows.append([f"and {len(summary.objectives) - MOST_ROWS} more"] + [""] * (len(head) - 1))
    metrics = summary.evaluations[-1][1] if summary.evaluations else {}
    for name, value in metrics.items():
        again = [_number(alone.metrics.get(name))] if alone else []
        rows.append([name, _number(value), ""] + again)
    return f"<table><thead>{_row(head, 'th')}</thead><tbody>{''.join(map(_row, rows))}</tbody></table>"


def _thinned(values: torch.Tensor) -> torch.Tensor:
    """Every n-th value, and always the last one."""
    step = max(1, math.ceil(len(values) / MOST_POINTS))
    return values if step == 1 else torch.cat([values[:-1:step], values[-1:]])


def _ticks(low: float, high: float, most: int = 5) -> List[float]:
    """Round numbers within [low, high]: multiples of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _decades(low: float, high: float) -> List[float]:
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    return [float(power) for power in range(first, last + 1, max(1, math.ceil((last - first) / 5)))]


def _span(values: Sequence[float]) -> Span:
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or 0.05 * abs(high) or 0.5
    return low - margin, high + margin


def _across(value: float, span: Span) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - span[0]) / (span[1] - span[0])


def _up(value: float, span: Span) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - span[0]) / (span[1] - span[0]))


def _grid(x: Span, y: Span, logarithmic: bool) -> str:
    drawn = []
    levels = _decades(*y) if logarithmic else []
    for value in levels if len(levels) > 1 else _ticks(*y):
        at = _up(value, y)
        label = f"{10 ** value:.0e}" if logarithmic and len(levels) > 1 else f"{10 ** value:.2g}" if logarithmic \
            else f"{value:.4g}"
        drawn.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="var(--line)"/>'
                     f'<text x="{LEFT - 6}" y="{at + 3.5:.1f}" text-anchor="end">{label}</text>')
    for value in _ticks(*x):
        drawn.append(f'<text x="{_across(value, x):.1f}" y="{HEIGHT - 6}" text-anchor="middle">{value:.6g}</text>')
    return "".join(drawn)


def _chart(title: str, x: List[float], curves: List[Curve], logarithmic: bool = False) -> str:
    if logarithmic:
        curves = [(name, [math.log10(v) if v > 0 else math.nan for v in values]) for name, values in curves]
    finite = [v for _, values in curves for v in values if math.isfinite(v)]
    if len(x) < 2 or not finite:
        return ""
    across, up = (x[0], x[-1]), _span(finite)
    legend, drawn = [], []
    for number, (name, values) in enumerate(curves):
        points = [f"{_across(a, across):.1f},{_up(v, up):.1f}" for a, v in zip(x, values) if math.isfinite(v)]
        if not points:
            continue
        drawn.append(f'<polyline fill="none" stroke="var(--c{number})" stroke-width="1.6" stroke-linejoin="round" '
                     f'points="{" ".join(points)}"/>')
        legend.append(f'<span style="color:var(--c{number})">{html.escape(name)}</span>')
    return (f"<figure><figcaption>{html.escape(title)}{''.join(legend)}</figcaption>"
            f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{html.escape(title)}">{_grid(across, up, logarithmic)}{"".join(drawn)}</svg></figure>')


def _columns(summary: "Summary", key: str) -> List[Curve]:
    values = summary.history.get(key)
    if values is None or values.dim() != 2 or values.shape[1] > MOST_CURVES:
        return []
    names = summary.objectives if values.shape[1] == len(summary.objectives) else \
        [str(i + 1) for i in range(values.shape[1])]
    return [(name, _thinned(values[:, i]).tolist()) for i, name in enumerate(names)]


def page_of(summary: "Summary") -> str:
    charts = ""
    if "k" in summary.history:
        x = _thinned(summary.history["k"]).tolist()
        charts = _chart("upper losses", x, _columns(summary, "losses"))
        charts += _chart("weights", x, _columns(summary, "weights"))
        charts += _chart("stationarity", x, [(name, _thinned(summary.history[key]).tolist())
                                             for name, key in (("K", "kkt"), ("q", "q"))], logarithmic=True)
    return f'{STYLE}<div class="moblo-summary">{_headline(summary)}{_table(summary)}{charts}</div>'
