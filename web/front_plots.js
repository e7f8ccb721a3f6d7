// The front in pictures: two objectives as a scatter, many as parallel coordinates. Drawn at the size of their place.
(() => {
  "use strict";
  const { numberText, tickText } = globalThis.mobloNumbers;

  function make(tag, attributes = {}, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  // From the least to the largest value, with room at both ends; `of` gives the place of a value between 0 and 1.
  function scaleOf(values, log, room = 0.06) {
    const to = log ? Math.log10 : (value) => value, back = log ? (value) => 10 ** value : (value) => value;
    let low = Math.min(...values.map(to)), high = Math.max(...values.map(to));
    if (low === high) { const half = Math.abs(low) / 2 || 0.5; low -= half; high += half }
    const span = high - low;
    low -= room * span;
    high += room * span;
    return { of: (value) => (to(value) - low) / (high - low), low, high, log, back };
  }

  function ticksOf({ low, high, log, back }, wanted) {
    const rough = (high - low) / wanted;
    if (log && high - low >= 2) {
      const step = Math.max(1, Math.round(rough)), ticks = [];
      for (let power = Math.ceil(low); power <= high; power += step) ticks.push(10 ** power);
      return ticks;
    }
    const from = back(low), to = back(high), width = (to - from) / wanted, unit = 10 ** Math.floor(Math.log10(width));
    const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => size >= width);
    const ticks = [];
    for (let i = Math.ceil(from / step); i * step <= to; ++i) ticks.push(i * step);
    return ticks;
  }

  const shapes = {
    circle: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
    diamond: (r) => `M0,${-1.5 * r}L${1.5 * r},0L0,${1.5 * r}L${-1.5 * r},0z`,
    triangle: (r) => `M0,${-1.45 * r}L${1.35 * r},${r}L${-1.35 * r},${r}z`,
  };

  // `at` is where, `kind` what the point is: front, dominated, knee or extreme.
  function mark({ x, y }, { kind, hollow }, title, size = 5) {
    const shape = kind === "knee" ? "diamond" : kind === "extreme" ? "triangle" : "circle";
    const path = make("path", { class: `mark ${kind}${hollow ? " hollow" : ""}`, d: shapes[shape](size), transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` });
    path.append(make("title", {}, title));
    return path;
  }

  const ring = ({ x, y }) => make("circle", { class: "ring", cx: x.toFixed(1), cy: y.toFixed(1), r: 11 });

  function nearest(event, svg, places, reach = 30) {
    const box = svg.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    let best = null, least = reach;
    for (const { index, x, y } of places) {
      const distance = Math.hypot(x - px, y - py);
      if (distance < least) { best = index; least = distance }
    }
    return best;
  }

  function stepKeys(svg, view, order) {
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step || !order.length) return;
      event.preventDefault();
      const at = order.indexOf(view.selected);
      view.select(order[(at + step + order.length) % order.length]);
    });
  }

  // Corners of the staircase through points sorted by x: what they dominate lies above and to the right of it.
  function staircase(front, end) {
    let path = `M${front[0].x},${end.y}`;
    front.forEach((point, i) => { path += `${i ? `H${point.x}` : ""}L${point.x},${point.y}` });
    return `${path}H${end.x}`;
  }

  function plane(place, view, [first, second]) {
    const svg = make("svg", { class: "plane", role: "img", "aria-label": `${view.names[second]} over ${view.names[first]}; arrow keys go from point to point` });
    const all = view.points.filter((point) => point.shown);
    const order = [...all].sort((a, b) => a.shown[first] - b.shown[first]).map((point) => point.index);
    const line = view.names.length === 2;
    let places = [];
    const draw = () => {
      const width = place.clientWidth, height = Math.round(Math.min(460, Math.max(250, 0.72 * width)));
      const left = 60, right = width - 14, top = 12, bottom = height - 44;
      const reference = line && view.reference ? [view.reference] : [];
      const scales = [first, second].map((i) => scaleOf([...all.map((point) => point.shown[i]), ...reference.map((values) => values[i])], view.log));
      const at = (values) => ({ x: left + scales[0].of(values[first]) * (right - left), y: bottom - scales[1].of(values[second]) * (bottom - top) });
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.style.height = `${height}px`;
      svg.replaceChildren();
      const text = tickText(view.log);
      for (const value of ticksOf(scales[0], Math.max(2, width / 110))) {
        const x = left + scales[0].of(value) * (right - left);
        svg.append(make("path", { class: "grid", d: `M${x},${top}V${bottom}` }), make("text", { class: "tick x", x, y: bottom + 16 }, text(value)));
      }
      for (const value of ticksOf(scales[1], 5)) {
        const y = bottom - scales[1].of(value) * (bottom - top);
        svg.append(make("path", { class: "grid", d: `M${left},${y}H${right}` }), make("text", { class: "tick y", x: left - 6, y: y + 4 }, text(value)));
      }
      svg.append(make("text", { class: "label", x: (left + right) / 2, y: height - 8 }, view.names[first]));
      svg.append(make("text", { class: "label", x: 14, y: (top + bottom) / 2, transform: `rotate(-90 14 ${(top + bottom) / 2})` }, view.names[second]));
      if (line) {
        const steps = all.filter((point) => !point.dominated).map((point) => at(point.shown)).sort((a, b) => a.x - b.x);
        const end = reference.length ? at(reference[0]) : { x: right, y: top };
        if (steps.length) {
          svg.append(make("path", { class: "attained", d: `${staircase(steps, end)}V${end.y}Z` }), make("path", { class: "stairs", d: staircase(steps, end) }));
        }
      }
      const chosen = view.points[view.selected];
      if (chosen?.other && chosen.shown) {
        const from = at(chosen.shown), to = at(chosen.other);
        if (Number.isFinite(to.x + to.y)) {
          svg.append(make("path", { class: "between", d: `M${from.x},${from.y}L${to.x},${to.y}` }), make("circle", { class: "other", cx: to.x, cy: to.y, r: 4 }));
        }
      }
      places = all.map((point) => ({ index: point.index, ...at(point.shown) }));
      const sorted = [...all].sort((a, b) => view.rank(a) - view.rank(b));
      for (const point of sorted) svg.append(mark(at(point.shown), view.look(point), view.title(point)));
      if (chosen?.shown) svg.append(ring(at(chosen.shown)));
    };
    svg.addEventListener("click", (event) => { const found = nearest(event, svg, places); if (found !== null) view.select(found) });
    stepKeys(svg, view, order);
    place.append(svg);
    return draw;
  }

  function toSegment(px, py, a, b) {
    const dx = b.x - a.x, dy = b.y - a.y, share = Math.min(1, Math.max(0, ((px - a.x) * dx + (py - a.y) * dy) / (dx * dx + dy * dy)));
    return Math.hypot(px - a.x - share * dx, py - a.y - share * dy);
  }

  const shortened = (text, letters) => text.length <= letters ? text : `${text.slice(0, Math.max(1, letters - 1))}…`;

  function parallel(place, view) {
    const svg = make("svg", { class: "parallel", role: "img", "aria-label": "One line per point, one axis per objective, best at the bottom; arrow keys go from point to point" });
    const all = view.points.filter((point) => point.shown), axes = view.names.length;
    let lines = [];
    const draw = () => {
      const width = place.clientWidth, height = Math.round(Math.min(440, Math.max(280, 0.5 * width)));
      const edge = Math.min(46, width / axes / 2), top = 40, bottom = height - 26;
      const scales = view.names.map((_, i) => scaleOf(all.map((point) => point.shown[i]), view.log, 0));
      const across = (i) => edge + i * (width - 2 * edge) / (axes - 1), letters = Math.floor((width - 2 * edge) / (axes - 1) / 7);
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.style.height = `${height}px`;
      svg.replaceChildren();
      view.names.forEach((name, i) => {
        const x = across(i), side = i === 0 ? "start" : i === axes - 1 ? "end" : "middle";
        const label = make("text", { class: "label", x: x + (i === 0 ? -edge : i === axes - 1 ? edge : 0), y: 14, style: `text-anchor:${side}` }, shortened(name, letters));
        label.append(make("title", {}, name));
        svg.append(make("path", { class: "axis", d: `M${x},${top}V${bottom}` }), label);
        if (axes > 12 && i % 2) return;
        svg.append(make("text", { class: "tick x", x, y: top - 8 }, numberText(scales[i].back(scales[i].high))));
        svg.append(make("text", { class: "tick x", x, y: bottom + 16 }, numberText(scales[i].back(scales[i].low))));
      });
      lines = all.map((point) => ({ index: point.index, corners: point.shown.map((value, i) => ({ x: across(i), y: bottom - scales[i].of(value) * (bottom - top) })) }));
      const last = (point) => point.index === view.selected ? 9 : view.rank(point);
      for (const point of [...all].sort((a, b) => last(a) - last(b))) {
        const { kind, hollow } = view.look(point), { corners } = lines.find(({ index }) => index === point.index);
        const chosen = point.index === view.selected;
        const path = make("path", { class: `strand ${kind}${hollow ? " hollow" : ""}${chosen ? " chosen" : ""}`, d: `M${corners.map(({ x, y }) => `${x},${y}`).join("L")}` });
        path.append(make("title", {}, view.title(point)));
        svg.append(path);
        if (chosen || kind === "knee") for (const corner of corners) svg.append(mark(corner, { kind, hollow }, view.title(point), 3.5));
      }
    };
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
      let best = null, least = 24;
      for (const { index, corners } of lines) {
        for (let i = 1; i < corners.length; ++i) {
          const distance = toSegment(px, py, corners[i - 1], corners[i]);
          if (distance < least) { best = index; least = distance }
        }
      }
      if (best !== null) view.select(best);
    });
    stepKeys(svg, view, all.map((point) => point.index));
    place.append(svg);
    return draw;
  }

  globalThis.mobloFront = { make, scaleOf, mark, ring, nearest, shortened, plane, parallel };
})();
