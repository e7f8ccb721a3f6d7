// What the browser tests share: run folders, the program, and a page that tells of everything it should not do.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";

export const [program, source] = process.argv.slice(2);
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "moblo-browser-"));
export const hostile = `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">`;
const skipped = 77;

function chromiumPath() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return (process.env.PATH || "").split(":").flatMap((dir) => names.map((name) => path.join(dir, name))).find((file) => fs.existsSync(file));
}

export async function openBrowser() {
  const chromium = chromiumPath();
  let playwright;
  try { playwright = createRequire(path.join(source, "web/package.json"))("playwright-core") } catch { /* told below */ }
  if (!chromium || !playwright || !fs.existsSync(path.join(source, "web/dist/charts.js"))) {
    console.log("skipped: tools/setup installs Chromium, playwright-core and the chart library");
    process.exit(skipped);
  }
  return playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
}

/// A page whose errors and requests are kept; `allowed` is the only origin it may ask.
export async function openPage(browser, options = {}, allowed = "file://") {
  const page = await (await browser.newContext(options)).newPage();
  const faults = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()}`) });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { faults.push("a dialog"); dialog.dismiss() });
  page.on("request", (request) => { if (!request.url().startsWith(allowed) && !/^(data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`) });
  return { page, faults };
}

export const moblo = (...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const step = (k) => JSON.stringify({
  k, losses: [0.3 + Math.exp(-k / 40), 0.1 + Math.exp(-k / 90)], lower_loss: 0.01, q: Math.exp(-k / 300) + 1e-9, kkt: 0.5 / (1 + k), weights: [0.6, 0.4],
  solved_weights: [0.6, 0.4], nu: 1.5, gradient_norms: [1, 2, 0.5], conflict_cosines: [-0.25, 0.5, 0.125], qp_status: "solved", qp_residual: 1e-16, distance: 3.5,
});
const timing = (k) => JSON.stringify({ k, seconds: { "lower loop": 0.004, gradients: 0.001 }, peak_bytes: 125829120 });

export function appendSteps(run, from, to) {
  const ks = Array.from({ length: to - from }, (_, i) => from + i);
  fs.appendFileSync(path.join(run, "steps.jsonl"), ks.map((k) => step(k) + "\n").join(""));
  fs.appendFileSync(path.join(run, "timings.jsonl"), ks.map((k) => timing(k) + "\n").join(""));
}

export function finish(run, iterations) {
  const final = { losses: [0.3, 0.1], q: 1e-9, kkt: 1e-3, weights: [0.6, 0.4], nu: 1.5 };
  fs.writeFileSync(path.join(run, "summary.json"), JSON.stringify({ status: "completed", message: "all iterations done", iterations, seconds: 1.5, final }));
}

/// A run folder as the program writes it; `done` of `iterations` steps.
export function makeRun(name, { iterations = 200, done = iterations, title = "a run", seed = 0 } = {}) {
  const run = path.join(folder, name);
  fs.mkdirSync(run, { recursive: true });
  fs.writeFileSync(path.join(run, "manifest.json"), JSON.stringify({
    created: "2024-05-01T12:00:00Z", title, config: { problem: "synthetic", method: "forum", seed, iterations, note: title }, runtime: { version: "0.1.0" },
    problem: { m: 2, n: 1, p: 2 }, datasets: {}, amendments: [],
  }));
  fs.writeFileSync(path.join(run, "evaluations.jsonl"), [0, 100].filter((k) => k < done).map((k) => JSON.stringify({ k, metrics: { [`accuracy / ${title}`]: 90 + k / 100 } }) + "\n").join(""));
  appendSteps(run, 0, done);
  if (done === iterations) finish(run, iterations);
  return run;
}

/// Starts `moblo watch`; resolves once it can be asked.
export function watch(root, ...more) {
  const begin = performance.now();
  const server = spawn(program, ["watch", root, "--port", "0", ...more], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "";
    server.on("exit", (code) => reject(new Error(`watch ended with ${code}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const found = text.match(/http:\/\/[^ ]+/);
      if (!found) return;
      server.removeAllListeners("exit");
      const stop = () => new Promise((ended) => { server.on("exit", (code) => ended(code)); server.kill("SIGINT") });
      resolve({ url: found[0], startMs: performance.now() - begin, stop });
    });
  });
}

const tests = [];
export const test = (name, body) => tests.push([name, body]);
export function check(condition, what) { if (!condition) throw new Error(what) }
export function equal(actual, expected, what) { check(actual === expected, `${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`) }
export const none = (faults) => equal(faults.join("\n"), "", "faults");

export async function runTests() {
  const browser = await openBrowser();
  let failed = 0;
  try {
    for (const [name, body] of tests) {
      const begin = performance.now();
      try {
        await body(browser);
        console.log(`ok    ${name} (${Math.round(performance.now() - begin)} ms)`);
      } catch (error) {
        ++failed;
        console.log(`FAIL  ${name}: ${error.message}`);
      }
    }
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}
