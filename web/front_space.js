// Three objectives as a cube that can be turned: by dragging, or with the arrow keys.
(() => {
  "use strict";
  const { numberText } = globalThis.mobloNumbers;
  const { make, scaleOf, mark, ring, nearest, shortened } = globalThis.mobloFront;
  const straight = { yaw: 2.5, pitch: 0.4 }, eye = 4, key = 0.12;
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [bits & 1, (bits >> 1) & 1, (bits >> 2) & 1]);

  // Of a point in the unit cube, the third coordinate up: where it is seen, and how near it is.
  function project([a, b, c], { yaw, pitch }, { width, height, size }) {
    const x = a - 0.5, y = b - 0.5, z = c - 0.5;
    const u = x * Math.cos(yaw) - y * Math.sin(yaw), v = x * Math.sin(yaw) + y * Math.cos(yaw);
    const depth = v * Math.cos(pitch) - z * Math.sin(pitch), up = z * Math.cos(pitch) + v * Math.sin(pitch);
    const near = eye / (eye + depth);
    return { x: width / 2 + near * u * size, y: height / 2 - near * up * size, near };
  }

  function space(place, view) {
    const svg = make("svg", { class: "space", role: "img", tabindex: "0", "aria-label": `${view.names.join(", ")} in space; drag or use the arrow keys to turn it, Home to turn it back` });
    const all = view.points.filter((point) => point.shown);
    let turn = { ...straight }, places = [], drag = null;
    const draw = () => {
      const width = place.clientWidth, height = Math.round(Math.min(480, Math.max(280, 0.8 * width))), frame = { width, height, size: Math.min(0.5 * width, 0.52 * height) };
      const scales = view.names.map((_, i) => scaleOf(all.map((point) => point.shown[i]), view.log, 0));
      const seen = (unit) => project(unit, turn, frame), unit = (values) => values.map((value, i) => scales[i].of(value));
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      svg.style.height = `${height}px`;
      svg.replaceChildren();
      for (const corner of corners) {
        for (let i = 0; i < 3; ++i) {
          if (corner[i]) continue;
          const from = seen(corner), to = seen(corner.map((bit, j) => j === i ? 1 : bit));
          const axis = corner.every((bit) => bit === 0);
          svg.append(make("path", { class: axis ? "axis" : "grid", d: `M${from.x},${from.y}L${to.x},${to.y}` }));
        }
      }
      const write = (at, text, css) => {
        const { x, y } = seen(at), half = 3.2 * text.length + 4;  // of its width, about
        const label = make("text", { class: css, x: Math.min(width - half, Math.max(half, x)), y: Math.min(height - 6, Math.max(14, y + 4)) }, text);
        svg.append(label);
        return label;
      };
      view.names.forEach((name, i) => {
        const label = write([0, 1, 2].map((j) => j === i ? 1.1 : -0.05), `${shortened(name, 20)} ${numberText(scales[i].back(scales[i].high))}`, "label");
        label.append(make("title", {}, `${name}, its largest value at this end`));
      });
      const least = scales.map(({ back, low }) => numberText(back(low))).join(", ");
      write([-0.09, -0.09, -0.09], `(${least})`, "tick x").append(make("title", {}, "The least value of each objective"));
      const placed = all.map((point) => ({ point, at: seen(unit(point.shown)), floor: seen([...unit(point.shown).slice(0, 2), 0]) }));
      placed.sort((a, b) => a.at.near - b.at.near);
      for (const { at, floor } of placed) svg.append(make("path", { class: "stem", d: `M${at.x},${at.y}L${floor.x},${floor.y}` }));
      for (const { point, at } of placed) {
        const drawn = mark(at, view.look(point), view.title(point), 5 * at.near);
        drawn.style.opacity = Math.min(1, Math.max(0.45, 0.2 + 0.75 * at.near));
        svg.append(drawn);
        if (point.index === view.selected) svg.append(ring(at));
      }
      places = placed.map(({ point, at }) => ({ index: point.index, x: at.x, y: at.y }));
    };
    const by = (yaw, pitch) => {
      turn = { yaw: turn.yaw + yaw, pitch: Math.min(1.5, Math.max(-1.5, turn.pitch + pitch)) };
      draw();
    };
    svg.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, way: 0 }; svg.setPointerCapture(event.pointerId) });
    svg.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      drag = { x: event.clientX, y: event.clientY, way: drag.way + Math.abs(dx) + Math.abs(dy) };
      by(-0.01 * dx, 0.01 * dy);
    });
    svg.addEventListener("pointerup", (event) => {
      const found = drag && drag.way < 5 ? nearest(event, svg, places) : null;
      drag = null;
      if (found !== null) view.select(found);
    });
    svg.addEventListener("pointercancel", () => { drag = null });
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [key, 0], ArrowRight: [-key, 0], ArrowUp: [0, -key], ArrowDown: [0, key] }[event.key];
      if (event.key === "Home") turn = { ...straight };
      if (!step && event.key !== "Home") return;
      event.preventDefault();
      by(...(step ?? [0, 0]));
    });
    place.append(svg);
    return draw;
  }

  globalThis.mobloFront.space = space;
})();
