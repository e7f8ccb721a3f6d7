// Draws over the still picture of each <figure data-figure="i"> an interactive chart, once it comes into view.
(() => {
  "use strict";
  const { numberText, countText, tickText } = globalThis.mobloNumbers;
  const dashes = ["solid", [7, 4], [2, 3], [10, 3, 2, 3], [5, 2, 1, 2, 1, 2]];
  const colours = 7, farthest = "200px";
  const shown = new Map();  // <figure> -> { chart, figure, log, hidden }
  let figures = [];

  const escaped = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

  // light-dark() is resolved only where it is used, so an element has to use it.
  function readColours() {
    const probe = document.createElement("span");
    probe.hidden = true;
    document.body.append(probe);
    const read = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color };
    const look = { ink: read("ink"), soft: read("soft"), line: read("line"), card: read("card"), curves: [] };
    for (let i = 0; i < colours; ++i) look.curves.push(read(`c${i}`));
    probe.remove();
    return look;
  }

  let colourCache;
  const lookNow = () => colourCache ??= readColours();

  // Records are thinned and begin at 0: an axis from 3 to 1198 is meant to go from 0 to 1200.
  const firstCount = ({ min, max }) => min < 0.02 * max ? 0 : min;
  function lastCount({ max }) {
    if (!(max > 0)) return max;
    const unit = 10 ** Math.floor(Math.log10(max)) / 20, next = Math.ceil(max / unit) * unit;
    return next - max <= 0.01 * max ? next : max;
  }

  const pairs = (xs, ys) => xs.map((x, i) => [x, ys[i]]);

  function nearest(xs, x) {
    let low = 0, high = xs.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (xs[middle] < x) low = middle; else high = middle;
    }
    return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
  }

  function whiskerSeries(curve, colour, log) {
    return {
      name: curve.label, type: "custom", silent: true, clip: true, z: 2, tooltip: { show: false }, data: pairs(curve.x, curve.y),
      renderItem(at, api) {
        const i = at.dataIndex, low = curve.y[i] - curve.d[i];
        if (!curve.d[i] || (log && low <= 0)) return null;
        const [x1, y1] = api.coord([curve.x[i], low]), [x2, y2] = api.coord([curve.x[i], curve.y[i] + curve.d[i]]);
        return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.4 } };
      },
    };
  }

  function bandSeries(curve, colour, log) {
    const bottom = (i) => log && curve.y[i] <= curve.d[i] ? curve.y[i] : curve.y[i] - curve.d[i];
    return {
      name: curve.label, type: "custom", silent: true, clip: true, z: 1, tooltip: { show: false }, data: [[curve.x[0], curve.y[0]]],
      renderItem(_, api) {
        const upper = curve.x.map((x, i) => api.coord([x, curve.y[i] + curve.d[i]]));
        const lower = curve.x.map((x, i) => api.coord([x, bottom(i)])).reverse();
        return { type: "polygon", shape: { points: upper.concat(lower) }, style: { fill: colour, opacity: 0.18 } };
      },
    };
  }

  function seriesOf(curve, index, figure, look, log) {
    const colour = look.curves[index % colours], dash = dashes[index % dashes.length];
    if (curve.x.length === 0) return [{ name: curve.label, type: "line", data: [] }];
    if (figure.kind === "scatter" && curve.loose) {
      return [{ name: curve.label, type: "scatter", symbolSize: 9, itemStyle: { color: colour }, data: pairs(curve.x, curve.y) }];
    }
    const line = {
      name: curve.label, type: "line", z: 3, data: pairs(curve.x, curve.y), color: colour,
      showSymbol: figure.kind === "points" || curve.x.length === 1, symbolSize: 6,
      lineStyle: { width: 1.8, type: dash, color: colour }, emphasis: { disabled: true },
    };
    if (figure.filled) line.areaStyle = { color: colour, opacity: 0.18 };
    const all = [];
    if (curve.trend) {
      all.push({ ...line, z: 2, silent: true, lineStyle: { width: 1, color: colour, opacity: 0.28 } });
      line.data = pairs(curve.trend.x, curve.trend.y);
    }
    all.push(line);
    if (curve.d) all.push((figure.kind === "points" ? whiskerSeries : bandSeries)(curve, colour, log));
    return all;
  }

  function tooltipText(state, look, x) {
    const { figure, hidden } = state;
    const rows = figure.curves.flatMap((curve, i) => {
      if (hidden.has(curve.label) || curve.x.length === 0) return [];
      const from = curve.trend || curve, at = nearest(from.x, x);
      const spread = curve.d ? ` ± ${numberText(curve.d[at])}` : "";
      const dot = `<span style="color:${look.curves[i % colours]}">●</span>`;
      return [`<tr><td>${dot} ${escaped(curve.label)}</td><td class="n">${numberText(from.y[at])}${spread}</td></tr>`];
    });
    return `<b>${escaped(figure.x)} ${numberText(Number(x))}</b><table>${rows.join("")}</table>`;
  }

  // Decades would leave most of the axis empty.
  function shortRange(figure) {
    const xs = figure.logX ? figure.curves.flatMap((curve) => curve.x) : [];
    return Math.max(...xs) < 1000 * Math.min(...xs);
  }

  function option(state) {
    const { figure } = state, log = state.log, look = lookNow();
    const text = { color: look.soft, fontSize: 11.5, fontFamily: "inherit" };
    const rule = { lineStyle: { color: look.line } };
    const counted = figure.x === "iteration";
    const loose = figure.kind === "scatter";
    return {
      animation: false, aria: { enabled: true }, textStyle: { fontFamily: "system-ui, sans-serif" },
      grid: { left: 62, right: 16, top: 12, bottom: 42 },
      legend: { show: false, selected: Object.fromEntries(figure.curves.map((c) => [c.label, !state.hidden.has(c.label)])) },
      tooltip: {
        trigger: loose ? "item" : "axis", confine: true, backgroundColor: look.card, borderColor: look.line, padding: [6, 10],
        textStyle: { color: look.ink, fontSize: 12 },
        axisPointer: { type: "line", lineStyle: { color: look.soft, opacity: 0.5 } },
        formatter: (at) => loose
          ? `<b>${escaped(at.seriesName)}</b><br>${escaped(figure.x)} ${numberText(at.value[0])}<br>${escaped(figure.y)} ${numberText(at.value[1])}`
          : tooltipText(state, look, at[0].axisValue),
      },
      dataZoom: [{ type: "inside", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, filterMode: "none" }],
      xAxis: {
        type: figure.logX ? "log" : "value", logBase: shortRange(figure) ? 2 : 10, min: counted ? firstCount : undefined, max: counted ? lastCount : undefined, scale: true,
        name: figure.x, nameLocation: "middle", nameGap: 26, nameTextStyle: text, axisLabel: { ...text, formatter: countText, hideOverlap: true },
        axisLine: rule, axisTick: { show: false }, splitLine: { show: false }, splitNumber: 5,
      },
      yAxis: {
        type: log ? "log" : "value", scale: true, min: figure.filled ? 0 : undefined, name: figure.y, nameLocation: "middle", nameGap: 44, nameTextStyle: text,
        axisLabel: { ...text, formatter: tickText(log), hideOverlap: true }, splitLine: rule, splitNumber: 5,
      },
      series: figure.curves.flatMap((curve, i) => seriesOf(curve, i, figure, look, log)),
    };
  }

  function paint(state) {
    state.chart.setOption(option(state), { notMerge: false, replaceMerge: ["series"] });
  }

  function legendButtons(box, state) {
    box.querySelectorAll(".legend li").forEach((item, i) => {
      const curve = state.figure.curves[i];
      if (!curve) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...item.childNodes);
      button.setAttribute("aria-pressed", String(!state.hidden.has(curve.label)));
      button.addEventListener("click", () => {
        const hide = !state.hidden.has(curve.label);
        if (hide) state.hidden.add(curve.label); else state.hidden.delete(curve.label);
        button.setAttribute("aria-pressed", String(!hide));
        paint(state);
      });
      item.replaceChildren(button);
    });
  }

  function csvText(figure) {
    const field = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const rows = [["curve", figure.x, figure.y, "deviation"].map(field).join(",")];
    for (const curve of figure.curves) {
      curve.x.forEach((x, i) => rows.push([field(curve.label), x, curve.y[i], curve.d ? curve.d[i] : ""].join(",")));
    }
    return rows.join("\r\n") + "\r\n";
  }

  function download(figure) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csvText(figure)], { type: "text/csv" }));
    link.download = `${figure.title.replace(/[^\w-]+/g, "_")}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function tools(box, state) {
    const bar = document.createElement("span");
    bar.className = "tools";
    const add = (text, label, act) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.title = label;
      button.setAttribute("aria-label", `${label}: ${state.figure.title}`);
      button.addEventListener("click", () => act(button));
      bar.append(button);
    };
    const positive = state.figure.curves.every((curve) => curve.y.every((y) => y > 0));
    if (positive && !state.figure.filled) {
      add(state.log ? "log" : "linear", "Scale of the values", (button) => {
        state.log = !state.log;
        button.textContent = state.log ? "log" : "linear";
        paint(state);
      });
    }
    add("⤢", "Larger or smaller", () => { box.classList.toggle("wide"); state.chart.resize() });
    add("csv", "The values as a file", () => download(state.figure));
    box.querySelector("figcaption").append(bar);
  }

  function draw(box) {
    const figure = figures[box.dataset.figure];
    if (!figure || shown.has(box) || !globalThis.echarts) return;
    const place = document.createElement("div");
    place.className = "chart";
    (box.querySelector(".plot, .empty") ?? box.querySelector("figcaption")).after(place);
    box.classList.add("drawn");
    box.querySelector(".empty")?.remove();
    const state = { chart: echarts.init(place, null, { renderer: "svg" }), figure, log: figure.log, hidden: new Set() };
    shown.set(box, state);
    legendButtons(box, state);
    tools(box, state);
    paint(state);
    new ResizeObserver(() => state.chart.resize()).observe(place);
  }

  const watcher = new IntersectionObserver((seen) => {
    for (const entry of seen) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: farthest });

  function start(list) {
    figures = list;
    document.querySelectorAll("figure[data-figure]").forEach((box) => watcher.observe(box));
  }

  // Each curve of a change holds its points from index `from` on; a trend comes whole.
  function update(changes) {
    changes.forEach((change, i) => {
      const figure = figures[i];
      if (!figure) { figures[i] = change; return }
      const before = figure.curves;
      figure.curves = change.curves.map((curve, j) => {
        const old = before[j], from = curve.from || 0;
        if (!old || from === 0) return curve;
        return { ...curve, x: old.x.slice(0, from).concat(curve.x), y: old.y.slice(0, from).concat(curve.y) };
      });
    });
    for (const state of shown.values()) paint(state);
  }

  addEventListener("moblo-colours", () => { colourCache = undefined; shown.forEach(paint) });
  globalThis.mobloCharts = { start, update, figures: () => figures, numberText };
  const data = document.getElementById("figures");
  if (data) start(JSON.parse(data.textContent));
})();
