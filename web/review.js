// The page of `moblo review`: one sample at a time, a key per answer. Every answer is on the disk before the next sample.
(() => {
  "use strict";
  history.replaceState(null, "", "/");  // without the token: a cookie carries it from here on
  const root = document.getElementById("review");
  const state = { samples: [], datasets: {}, command: "", at: 0, done: [], busy: false };
  const pictures = new Map();

  /// An element with text or children; nothing is ever parsed as HTML.
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "onclick") element.addEventListener("click", value); else element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  const classesOf = (sample) => state.datasets[sample.dataset].classes;
  const judged = () => state.samples.filter((sample) => sample.verdict !== null).length;
  const nextOpen = (from) => {
    const count = state.samples.length;
    for (let step = 0; step < count; ++step) {
      const at = (from + step) % count;
      if (state.samples[at].verdict === null && !state.samples[at].skipped) return at;
    }
    return state.samples.findIndex((sample) => sample.verdict === null);
  };

  async function pictureOf(at) {
    if (!pictures.has(at)) {
      pictures.set(at, fetch(`/api/picture?sample=${at}`).then(async (answer) => answer.ok ? (await answer.json()).picture : null, () => null));
    }
    return pictures.get(at);
  }

  function keyOf(sample, label, index) {
    const keys = [];
    if (label === sample.given) keys.push("y");
    if (label === sample.predicted && label !== sample.given) keys.push("n");
    if (index < 9) keys.push(String(index + 1));
    return keys;
  }

  function answerButton(sample, label, index) {
    const role = label === sample.given ? "given" : label === sample.predicted ? "suggested" : "";
    const button = make("button", { type: "button", class: `answer ${role}`, "aria-pressed": String(label === sample.verdict), onclick: () => answer(label) },
      make("span", { class: "name" }, label), role ? make("span", { class: "soft" }, role) : null);
    for (const key of keyOf(sample, label, index)) button.append(make("kbd", {}, key));
    return button;
  }

  function shownOf(sample) {
    const frame = make("div", { class: "shown" });
    const columns = state.datasets[sample.dataset].columns;
    if (sample.picture) {
      const at = state.at, wait = make("p", { class: "soft" }, "...");
      frame.append(wait);
      pictureOf(at).then((address) => {
        if (!frame.isConnected) return;
        if (address === null) { wait.textContent = "The picture cannot be shown: its file has gone, or is no PNG, JPEG or BMP."; return }
        const image = make("img", { alt: sample.id });
        image.addEventListener("load", () => image.classList.toggle("small", image.naturalWidth < 128));
        image.src = address;
        wait.replaceWith(image);
      });
    } else if (sample.values.length) {
      const table = make("table", {});
      sample.values.forEach((value, i) => table.append(make("tr", {}, make("th", {}, columns[i] ?? `${i + 1}`), make("td", {}, String(value)))));
      frame.append(make("div", { class: "scroll" }, table));
    } else {
      frame.append(make("p", { class: "soft" }, "There is nothing to show of this sample but its id."));
    }
    return frame;
  }

  function progress() {
    const done = judged(), all = state.samples.length;
    return make("div", { class: "progress-line" },
      make("progress", { max: String(all), value: String(done), "aria-label": "looked at" }),
      make("span", { id: "count", role: "status" }, `${done} of ${all} looked at`));
  }

  function finishedView() {
    return [progress(), make("div", { class: "done" }, make("h2", {}, "All samples have been looked at"),
      make("p", {}, "To take the verdicts in:"), make("pre", { id: "command" }, state.command),
      make("button", { type: "button", onclick: undo }, "Undo the last one", make("kbd", {}, "u")))];
  }

  function sampleView(sample) {
    const chance = Number.parseFloat(sample.probability);
    const facts = make("div", { class: "facts" },
      make("h2", { id: "sample" }, sample.id),
      Object.keys(state.datasets).length > 1 ? make("p", { class: "soft" }, sample.dataset) : null,
      make("p", {}, "given ", make("b", { class: "bad" }, sample.given), ", rather ", make("b", { class: "good" }, sample.predicted),
        Number.isFinite(chance) ? `; wrong with probability ${(100 * chance).toFixed(0)} %` : ""),
      make("div", { class: "answers", role: "group", "aria-label": "What is it?" }, ...classesOf(sample).map((label, i) => answerButton(sample, label, i))),
      make("div", { class: "moves" },
        make("button", { type: "button", onclick: skip }, "Skip", make("kbd", {}, "s")),
        make("button", { type: "button", onclick: undo }, "Undo", make("kbd", {}, "u"))),
      make("p", { class: "soft" }, "y: the given label is right. n: the suggested one is. 1 to 9: a class. Arrows: look back and forth."));
    return [progress(), make("div", { class: "sample" }, shownOf(sample), facts)];
  }

  function draw() {
    const sample = state.samples[state.at];
    root.replaceChildren(...(sample ? sampleView(sample) : finishedView()));
    for (let ahead = 1; ahead <= 2; ++ahead) {
      const next = state.at + ahead;
      if (state.samples[next]?.picture) pictureOf(next);
    }
    for (const at of pictures.keys()) if (Math.abs(at - state.at) > 20) pictures.delete(at);
  }

  async function tell(at, label) {
    if (state.busy) return false;
    state.busy = true;
    try {
      const query = new URLSearchParams({ sample: at, ...(label === null ? {} : { label }) });
      const answer = await fetch(`/api/verdict?${query}`, { method: "POST" });
      document.body.classList.remove("lost");
      if (!answer.ok) root.prepend(make("p", { class: "why", role: "alert" }, await answer.text()));
      if (answer.ok) state.samples[at].verdict = label;
      return answer.ok;
    } catch {
      document.body.classList.add("lost");
      return false;
    } finally { state.busy = false }
  }

  async function answer(label) {
    const at = state.at;
    if (!state.samples[at] || !await tell(at, label)) return;
    state.done.push(at);
    state.at = nextOpen(at + 1);
    draw();
  }

  function skip() {
    if (!state.samples[state.at]) return;
    state.samples[state.at].skipped = true;
    state.at = nextOpen(state.at + 1);
    draw();
  }

  async function undo() {
    const at = state.done.at(-1);
    if (at === undefined || !await tell(at, null)) return;
    state.done.pop();
    state.at = at;
    draw();
  }

  function look(step) {
    const from = state.at < 0 ? state.samples.length : state.at;
    state.at = Math.min(state.samples.length - 1, Math.max(0, from + step));
    draw();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const sample = state.samples[state.at], key = event.key.toLowerCase();
    if (key === "u" || key === "backspace") undo();
    else if (key === "arrowleft") look(-1);
    else if (key === "arrowright") look(1);
    else if (!sample) return;
    else if (key === "y") answer(sample.given);
    else if (key === "n") answer(sample.predicted);
    else if (key === "s") skip();
    else if (/^[1-9]$/.test(key) && classesOf(sample)[key - 1] !== undefined) answer(classesOf(sample)[key - 1]);
    else return;
    event.preventDefault();
  });

  fetch("/api/samples").then((answer) => answer.json()).then((known) => {
    Object.assign(state, known);
    state.at = nextOpen(0);
    root.hidden = false;
    draw();
  }, () => document.body.classList.add("lost"));
})();
