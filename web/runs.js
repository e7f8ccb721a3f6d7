// Keeps the list of runs of `moblo watch` up to date.
(() => {
  "use strict";
  history.replaceState(null, "", "/");  // without the token: a cookie carries it from here on
  const list = document.getElementById("runs"), filter = document.getElementById("filter"), note = document.getElementById("count");
  let version = -1;

  function applyFilter() {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0, all = 0;
    for (const row of list.querySelectorAll("tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
      ++all;
    }
    note.textContent = shown === all ? `${all} runs` : `${shown} of ${all} runs`;
  }

  function replace(html) {
    const focused = document.activeElement?.getAttribute?.("href");
    list.innerHTML = html;  // made and escaped by the server
    if (focused) list.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    applyFilter();
  }

  async function look() {
    try {
      const answer = await fetch(`/api/runs?version=${version}`);
      document.body.classList.toggle("gone", !answer.ok);
      const news = answer.ok ? await answer.json() : { version };
      document.body.classList.remove("lost");
      if (news.version !== version) { version = news.version; replace(news.html) }
    } catch { document.body.classList.add("lost") }
    setTimeout(look, document.hidden ? 5000 : 1000);
  }

  filter.addEventListener("input", applyFilter);
  look();
})();
