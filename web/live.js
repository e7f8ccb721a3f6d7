// Brings what a run has recorded since the page was made, once a second.
(() => {
  "use strict";
  const address = new URL(location.href);
  address.searchParams.delete("token");  // from here on a cookie carries it; it need not stay in the history
  history.replaceState(null, "", address);
  const live = JSON.parse(document.getElementById("live").textContent);
  const head = document.getElementById("head");
  const shape = (figures) => figures.map((figure) => `${figure.title}:${figure.curves.length}`).join("|");

  function take(news) {
    Object.assign(live, { version: news.version, restarts: news.restarts, stride: news.stride, records: news.records });
    head.innerHTML = news.head;  // made and escaped by the server
    if (!globalThis.mobloCharts) return;
    const before = mobloCharts.figures().slice(0, live.figures);
    if (news.ended !== live.ended || shape(news.figures) !== shape(before)) { location.reload(); return }
    mobloCharts.update(news.figures);
  }

  async function look() {
    let wait = 1000;
    try {
      const query = new URLSearchParams({ name: live.name, version: live.version, restarts: live.restarts, stride: live.stride, records: live.records });
      const answer = await fetch(`/api/run?${query}`);
      document.body.classList.toggle("gone", !answer.ok);
      if (answer.ok) {
        const news = await answer.json();
        if (news.broken) { location.reload(); return }
        if (news.version !== live.version) take(news);
        if (news.reading) wait = 100;
      }
      document.body.classList.remove("lost");
    } catch { document.body.classList.add("lost") }
    setTimeout(look, document.hidden ? 5000 : wait);
  }
  setTimeout(look, 200);
})();
