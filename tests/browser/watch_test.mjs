// The live page in a browser: node watch_test.mjs PROGRAM SOURCE_FOLDER
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { appendSteps, check, equal, finish, folder, hostile, makeRun, none, openPage, runTests, test, watch } from "./harness.mjs";

/// A request as no browser would make it: the path and headers as given.
function ask(url, requestPath, { host, method = "GET" } = {}) {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const request = http.request({ port, host: "127.0.0.1", path: requestPath, method, headers: host ? { host } : {} }, (answer) => {
      let text = "";
      answer.on("data", (data) => { text += data });
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text, ms: performance.now() - begin }));
    });
    request.on("error", reject);
    request.end();
  });
}

async function watching(root, body, ...more) {
  const server = await watch(root, ...more);
  try { await body(server) } finally { equal(await server.stop(), 0, "the exit code after Ctrl-C") }
}

test("steps arrive while one looks, and the end as well", async (browser) => {
  const run = makeRun("live/growing", { iterations: 500, done: 20 });
  await watching(path.join(folder, "live"), async ({ url }) => {
    const { page, faults } = await openPage(browser, {}, url);
    await page.goto(url);
    await page.locator("a", { hasText: "growing" }).click();
    await page.locator(".chart svg").first().waitFor();
    const points = () => page.evaluate(() => mobloCharts.figures()[0].curves[0].x.at(-1));
    equal(await points(), 19, "the last iteration");
    appendSteps(run, 20, 60);
    await page.waitForFunction(() => mobloCharts.figures()[0].curves[0].x.at(-1) === 59, null, { timeout: 20000 });
    await page.locator("#head", { hasText: "60" }).waitFor();
    appendSteps(run, 60, 500);
    finish(run, 500);
    await page.locator("#head", { hasText: "all iterations done" }).waitFor({ timeout: 20000 });
    const xs = await page.evaluate(() => mobloCharts.figures()[0].curves[0].x);
    check(xs.every((x, i) => i === 0 || x >= xs[i - 1]), "the points are out of order");
    equal(xs.at(-1), 499, "the last iteration");
    none(faults);
  });
});

test("deltas put together are what a fresh page shows", async (browser) => {
  const run = makeRun("deltas/one", { iterations: 5000, done: 10 });
  await watching(path.join(folder, "deltas"), async ({ url }) => {
    const { page, faults } = await openPage(browser, {}, url);
    await page.goto(`${url}run?name=one`);
    for (const [from, to] of [[10, 300], [300, 401], [401, 1900]]) {
      appendSteps(run, from, to);
      await page.locator(".tile", { hasText: "iterations" }).filter({ hasText: String(to) }).waitFor({ timeout: 20000 });
    }
    const gathered = await page.evaluate(() => JSON.stringify(mobloCharts.figures().map((f) => f.curves.map((c) => [c.x, c.y]))));
    await page.reload();
    const fresh = await page.evaluate(() => JSON.stringify(mobloCharts.figures().map((f) => f.curves.map((c) => [c.x, c.y]))));
    equal(gathered === fresh, true, "the same points");
    none(faults);
  });
});

test("200 runs: starts and answers at once, filters, hostile names stay text", async (browser) => {
  for (let i = 0; i < 199; ++i) makeRun(`many/group-${i % 10}/run-${i}`, { iterations: 50, done: i % 3 ? 50 : 30, title: `run ${i}` });
  makeRun(`many/${hostile.replaceAll("/", "")}`, { iterations: 5, title: hostile });
  await watching(path.join(folder, "many"), async ({ url, startMs }) => {
    const times = [];
    for (let i = 0; i < 20; ++i) times.push((await ask(url, i % 2 ? "/api/runs" : "/")).ms);
    for (let i = 0; i < 20; ++i) times.push((await ask(url, `/api/run?name=group-${i % 10}%2Frun-${i}`)).ms);
    times.sort((a, b) => a - b);
    console.log(`      start ${Math.round(startMs)} ms, answers: median ${times[20].toFixed(1)} ms, slowest ${times[39].toFixed(1)} ms`);
    const { page, faults } = await openPage(browser, {}, url);
    await page.goto(url);
    await page.locator("#count", { hasText: "200 runs" }).waitFor();
    await page.locator("#filter").fill("group-3 running");
    const shown = await page.locator("tbody tr:visible").count();
    check(shown > 0 && shown < 20, `${shown} rows after filtering`);
    await page.locator("#filter").fill("owned");
    await page.locator("tbody tr:visible a").first().click();
    await page.locator(".chart svg").first().waitFor();
    equal(await page.locator("h1").textContent(), hostile, "the title");
    equal(await page.locator("main img").count(), 0, "images");
    none(faults);
  });
});

test("answers only to its own name, changes nothing, leads nowhere else", async () => {
  makeRun("safe/inside", { iterations: 5 });
  fs.writeFileSync(path.join(folder, "secret.txt"), "secret");
  await watching(path.join(folder, "safe"), async ({ url }) => {
    const { port } = new URL(url);
    equal((await ask(url, "/", { host: "evil.example" })).status, 403, "another name");
    equal((await ask(url, "/", { host: `evil.example:${port}` })).status, 403, "another name with the port");
    equal((await ask(url, "/", { host: `localhost:${port}` })).status, 200, "localhost");
    equal((await ask(url, "/", { method: "POST" })).status, 405, "POST");
    equal((await ask(url, "/api/runs", { method: "DELETE" })).status, 405, "DELETE");
    for (const bad of ["/../secret.txt", "/%2e%2e/secret.txt", "/run?name=../secret.txt", "/run?name=..%2Finside", "/run?name=/etc/passwd", "/api/run?name=", "/secret.txt", "/run"]) {
      const answer = await ask(url, bad);
      check(answer.status === 404 || answer.status === 400, `${bad}: ${answer.status}`);
      check(!answer.text.includes("secret"), `${bad} leads outside`);
    }
    const { headers } = await ask(url, "/");
    equal(headers["x-content-type-options"], "nosniff", "nosniff");
    equal(headers["cache-control"], "no-store", "no-store");
    check(headers["content-security-policy"].includes("default-src 'none'"), "a policy");
    equal(headers["access-control-allow-origin"], undefined, "access from elsewhere");
  });
});

test("a broken run stands out in the list, and its page comes back once it is repaired", async (browser) => {
  makeRun("broken/whole", { iterations: 5 });
  const run = makeRun(`broken/${hostile.replaceAll("/", "")}`, { iterations: 5 });
  const manifest = path.join(run, "manifest.json"), text = fs.readFileSync(manifest);
  fs.writeFileSync(manifest, "{ no");
  await watching(path.join(folder, "broken"), async ({ url }) => {
    const { page, faults } = await openPage(browser, {}, url);
    await page.goto(url);
    await page.locator("tr.broken", { hasText: "manifest.json: is not JSON" }).waitFor();
    equal(await page.locator("tbody tr").count(), 2, "runs");
    await page.locator("tr.broken a").click();
    await page.locator(".why", { hasText: "This run cannot be read. manifest.json: is not JSON" }).waitFor();
    equal(await page.locator("main img").count(), 0, "images");
    fs.writeFileSync(manifest, text);
    await page.locator(".chart svg").first().waitFor({ timeout: 20000 });
    fs.writeFileSync(manifest, "{ no");
    fs.rmSync(path.join(run, "steps.jsonl"));
    fs.mkdirSync(path.join(run, "steps.jsonl"));
    await page.locator(".why", { hasText: "steps.jsonl: is no regular file" }).waitFor({ timeout: 20000 });
    none(faults);
  });
});

test("a token lets in once, then a cookie does, and it leaves the address", async (browser) => {
  makeRun("token/one", { iterations: 5 });
  await watching(path.join(folder, "token"), async ({ url }) => {
    const origin = new URL(url).origin;
    check(new URL(url).searchParams.get("token").length === 32, `no token in ${url}`);
    equal((await ask(url, "/")).status, 401, "without a token");
    const { page, faults } = await openPage(browser, {}, origin);
    await page.goto(url);
    await page.locator("#count", { hasText: "1 runs" }).waitFor();
    equal(page.url(), `${origin}/`, "the address");
    await page.locator("a", { hasText: "one" }).click();
    await page.locator(".chart svg").first().waitFor();
    await page.waitForResponse((answer) => answer.url().includes("/api/run?") && answer.ok());
    const [cookie] = await page.context().cookies();
    equal(cookie.httpOnly, true, "hidden from scripts");
    equal(cookie.sameSite, "Strict", "sameSite");
    none(faults);
  }, "--token", "auto");
});

await runTests();
