// The button that switches between the system's colours, light and dark.
(() => {
  "use strict";
  const names = ["auto", "light", "dark"];
  const root = document.documentElement;
  const remembered = () => { try { return localStorage.getItem("moblo-theme") } catch { return null } };
  const remember = (name) => { try { localStorage.setItem("moblo-theme", name) } catch { /* a page from a file may not */ } };
  const button = document.getElementById("theme");
  const apply = (name) => {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    button.textContent = { auto: "◐ auto", light: "☀ light", dark: "☾ dark" }[name];
    button.setAttribute("aria-label", `Colours: ${name}`);
    dispatchEvent(new Event("moblo-colours"));
  };
  let current = names.includes(remembered()) ? remembered() : "auto";
  button.hidden = false;
  button.addEventListener("click", () => {
    current = names[(names.indexOf(current) + 1) % names.length];
    remember(current);
    apply(current);
  });
  apply(current);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => dispatchEvent(new Event("moblo-colours")));
})();
