// The page of a front: which losses are shown, which point is chosen, and what is known of it.
(() => {
  "use strict";
  const { numberText } = globalThis.mobloNumbers;
  const front = JSON.parse(document.getElementById("front").textContent);
  const area = document.getElementById("front-plots"), panel = document.getElementById("front-point");
  const refitted = front.points.some((point) => point.refit_losses);
  const rows = [...document.querySelectorAll("#points ~ .scroll tbody tr")];

  // JSON has no NaN: such numbers come as strings, and a point with one of them cannot be drawn.
  function drawable(losses) {
    const values = (losses ?? []).map(Number);
    return values.length === front.objectives.length && values.every(Number.isFinite) ? values : null;
  }

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function button(text, label, act) {
    const made = element("button", { type: "button", "aria-label": label, title: label }, text);
    made.addEventListener("click", act);
    return made;
  }

  const view = {
    names: front.objectives, points: [], selected: null, refit: false, log: false,
    reference: drawable(front.reference_point), select, look, rank, title,
  };

  function look(point) {
    const best = view.best.includes(point.index);
    return { kind: point.index === view.knee ? "knee" : best ? "extreme" : "front", hollow: point.dominated };
  }

  // Marked points are drawn last, so that nothing hides them.
  function rank(point) {
    if (point.dominated) return 0;
    return { front: 1, extreme: 2, knee: 3 }[look(point).kind];
  }

  function standing(point) {
    const words = [];
    if (point.index === view.knee) words.push("knee");
    view.best.forEach((index, i) => { if (index === point.index) words.push(`best ${view.names[i]}`) });
    if (point.dominated) words.push("dominated");
    if (!point.shown) words.push(point.losses.length ? "not finite" : "no result yet");
    return words.length ? words.join(", ") : "on the front";
  }

  function title(point) {
    return `Point ${point.index} (${standing(point)}): ${view.names.map((name, i) => `${name} ${numberText(point.shown[i])}`).join(", ")}`;
  }

  // The record names the best and the knee of the joint models; of the others the best are looked up here.
  function bestOf(points) {
    return view.names.map((_, i) => {
      const known = points.filter((point) => point.shown);
      return known.length ? known.reduce((a, b) => b.shown[i] < a.shown[i] ? b : a).index : null;
    });
  }

  function choosePoints() {
    const losses = (point) => drawable(point.losses), retrained = (point) => drawable(point.refit_losses);
    view.points = front.points.map((point) => ({
      ...point, shown: (view.refit ? retrained : losses)(point), other: (view.refit ? losses : retrained)(point),
      dominated: Boolean(view.refit ? point.refit_dominated : point.dominated),
    }));
    view.best = view.refit || !front.extremes.length ? bestOf(view.points) : front.extremes;
    view.knee = view.refit ? null : front.knee;
  }

  let pictures = [];
  const drawAll = () => pictures.forEach((draw) => draw());
  const watcher = new ResizeObserver(drawAll);

  function figure(name, css, make) {
    const place = element("div", { class: "place" }), box = element("figure", { class: css }, element("figcaption", {}, name), place);
    plots.append(box);
    pictures.push(make(place));
    watcher.observe(place);
  }

  const plots = element("div", { class: "front-figures" });

  // Where there is no room beside the pictures, what is known of a point stands below the first of them.
  const narrow = matchMedia("(max-width: 900px)");
  function placePanel() {
    const first = plots.firstElementChild;
    if (narrow.matches && first) first.after(panel); else area.after(panel);
  }
  narrow.addEventListener("change", () => { placePanel(); drawAll() });

  function buildPictures() {
    watcher.disconnect();
    pictures = [];
    plots.replaceChildren();
    const { plane, space, parallel } = globalThis.mobloFront, count = view.names.length;
    if (!view.points.some((point) => point.shown)) {
      plots.append(element("p", { class: "empty" }, "No point has losses that can be drawn yet."));
    } else if (count === 1) {
      plots.append(element("p", { class: "empty" }, "One objective has no trade-offs: see the table."));
    } else if (count === 2) {
      figure("Losses, and what they dominate", "large", (place) => plane(place, view, [0, 1]));
    } else if (count === 3) {
      figure("In space", "large", (place) => space(place, view));
      for (const pair of [[0, 1], [0, 2], [1, 2]]) {
        figure(`${view.names[pair[0]]} and ${view.names[pair[1]]}`, "", (place) => plane(place, view, pair));
      }
    } else {
      figure("One line per point, best at the bottom", "large", (place) => parallel(place, view));
    }
    placePanel();
    drawAll();
  }

  function lossRows(point) {
    const cell = (value) => element("td", { class: "n" }, value === undefined ? "–" : numberText(Number(value)));
    const head = ["", "preference", "joint", ...refitted ? ["retrained"] : []].map((text) => element("th", { class: "n" }, text));
    const body = view.names.map((name, i) => element("tr", {}, element("th", {}, name), cell(point.preference[i]), cell(point.losses[i]),
      ...refitted ? [cell(point.refit_losses?.[i])] : []));
    return element("div", { class: "table" }, element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
  }

  function facts(point) {
    const list = element("dl", {});
    const add = (name, value) => list.append(element("dt", {}, name), element("dd", {}, value));
    add("status", point.status);
    add("round", String(point.round));
    if (point.limits) add("limits", Object.entries(point.limits).map(([name, value]) => `${name} ≤ ${numberText(Number(value))}`).join(", "));
    const from = point.warm_start_from;
    add("start", from === null ? "cold" : button(`from point ${from}`, `Show point ${from}`, () => select(from)));
    add("run", point.run);
    if (point.model) add("model", point.model);
    return list;
  }

  function showPoint() {
    const point = view.points[view.selected];
    panel.hidden = !point;
    if (!point) return;
    const step = (by) => () => select((view.selected + by + view.points.length) % view.points.length);
    const head = element("div", { class: "panel-head" }, element("h3", {}, `Point ${point.index}`),
      element("span", { class: "tools" }, button("‹", "The point before", step(-1)), button("›", "The next point", step(1))));
    const parts = [head, element("p", { class: "soft" }, standing(point)), lossRows(point), facts(point)];
    if (point.report) parts.push(element("a", { class: "go", href: point.report }, "The report of its run"));
    panel.replaceChildren(...parts);
  }

  function select(index) {
    view.selected = index;
    rows.forEach((row, i) => row.classList.toggle("chosen", i === index));
    showPoint();
    drawAll();
  }

  function switches() {
    const bar = element("div", { class: "switches", role: "group", "aria-label": "What is shown" });
    const add = (text, label, pressed, act) => {
      const made = button(text, label, () => { act(); update() });
      const update = () => bar.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one.isOn())));
      made.isOn = pressed;
      bar.append(made);
      update();
    };
    const show = (refit) => () => { view.refit = refit; choosePoints(); buildPictures(); showPoint() };
    if (refitted) {
      add("joint models", "Losses of the joint models", () => !view.refit, show(false));
      add("retrained with alpha", "Losses after the lower level was solved again at alpha", () => view.refit, show(true));
    }
    const positive = front.points.every((point) => [point.losses, point.refit_losses].every((losses) => (drawable(losses) ?? []).every((loss) => loss > 0)));
    if (positive && (view.reference ?? []).every((value) => value > 0)) add("log", "Logarithmic axes", () => view.log, () => { view.log = !view.log; drawAll() });
    return bar;
  }

  function legend() {
    const { make, mark } = globalThis.mobloFront, list = element("ul", { class: "legend" });
    const add = (kind, hollow, text) => {
      const svg = make("svg", { viewBox: "0 0 26 16", "aria-hidden": "true" });
      svg.append(mark({ x: 13, y: 8 }, { kind, hollow }, text));
      list.append(element("li", {}, svg, text));
    };
    add("front", false, "on the front");
    if (front.points.some((point) => point.dominated || point.refit_dominated)) add("front", true, "dominated");
    if (front.knee !== null) add("knee", false, "knee, of the joint models");
    add("extreme", false, "best of one objective");
    return list;
  }

  rows.forEach((row, i) => {
    const cell = row.cells[0];
    cell.replaceChildren(button(cell.textContent, `Show point ${cell.textContent}`, () => { select(i); panel.scrollIntoView({ block: "nearest" }) }));
    row.addEventListener("click", (event) => { if (!event.target.closest("a, button")) select(i) });
  });
  choosePoints();
  const bar = switches();
  area.replaceChildren(...bar.childElementCount ? [bar] : [], legend(), plots);
  buildPictures();
  const first = view.points.find((point) => point.shown && !point.dominated);
  select(view.knee ?? first?.index ?? 0);
})();
