// The report page in a browser: node report_test.mjs PROGRAM SOURCE_FOLDER
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { appendSteps, check, equal, finish, folder, hostile, makeRun, moblo, none, openPage, runTests, source, test } from "./harness.mjs";

/// Scrolls through the page, since charts are drawn as they come into view, and counts the curves that have points.
async function drawnCharts(page) {
  const boxes = await page.locator("figure[data-figure]").all();
  for (const box of boxes) {
    await box.scrollIntoViewIfNeeded();
    await box.locator(".chart svg").waitFor({ timeout: 20000 });
  }
  return page.evaluate(() => [...document.querySelectorAll(".chart")].map((place) => {
    const series = echarts.getInstanceByDom(place).getOption().series;
    return { series: series.length, points: Math.max(...series.map((one) => one.data.length)), paths: place.querySelectorAll("path").length };
  }));
}

async function openReport(browser, file, options) {
  const opened = await openPage(browser, options);
  await opened.page.goto(pathToFileURL(file).href);
  return opened;
}

test("a real finished run: every chart has data, nothing is asked of any network", async (browser) => {
  const run = path.join(folder, "real"), page_file = path.join(folder, "real.html");
  moblo("run", path.join(source, "experiments/synthetic.toml"), "--set", "iterations=300", "--out", run, "--quiet");
  moblo("report", run, "--html", "--out", page_file);
  const { page, faults } = await openReport(browser, page_file);
  const charts = await drawnCharts(page);
  check(charts.length >= 6, `only ${charts.length} charts`);
  for (const chart of charts) check(chart.points > 1 && chart.paths > 2, `a chart without data: ${JSON.stringify(chart)}`);
  check(await page.locator("h1").textContent(), "no title");
  const refit = page.locator("#refit ~ .scroll").first();
  equal((await refit.locator("th").allTextContents()).join("|"), "|joint model|retrained with its alpha", "columns of the refit");
  equal((await refit.locator("tbody tr td:first-child").allTextContents()).join(), "F1,F2,f", "rows of the refit");
  check(await refit.isVisible(), "the refit is not visible");
  none(faults);
});

test("hostile names stay text", async (browser) => {
  const run = makeRun("hostile", { title: hostile }), page_file = path.join(folder, "hostile.html");
  moblo("report", run, "--html", "--out", page_file);
  const { page, faults } = await openReport(browser, page_file);
  await drawnCharts(page);
  await page.locator(".chart").first().hover();
  await page.waitForTimeout(100);
  equal(await page.locator("h1").textContent(), hostile, "the title");
  equal(await page.locator("main img").count(), 0, "images");
  check(!(await page.title()).startsWith("owned"), "a script ran");
  none(faults);
});

test("several seeds become a mean with a band, and legends work by keyboard", async (browser) => {
  const root = path.join(folder, "seeds");
  for (const seed of [0, 1, 2]) makeRun(`seeds/forum-seed-${seed}`, { seed });
  const page_file = path.join(folder, "seeds.html");
  moblo("report", root, "--html", "--out", page_file);
  const { page, faults } = await openReport(browser, page_file);
  const charts = await drawnCharts(page);
  check(charts.some((chart) => chart.series === 2), "no band");
  const button = page.locator(".legend button").first();
  await button.focus();
  await page.keyboard.press("Enter");
  equal(await button.getAttribute("aria-pressed"), "false", "the legend's button");
  none(faults);
});

test("light, dark and the system's colours", async (browser) => {
  const page_file = path.join(folder, "colours.html");
  moblo("report", makeRun("colours"), "--html", "--out", page_file);
  const { page, faults } = await openReport(browser, page_file, { colorScheme: "dark" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.locator("#theme").click();
  const light = await background();
  check(dark !== light, "the switch does nothing");
  await page.locator("#theme").click();
  equal(await background(), dark, "the dark colours");
  none(faults);
});

test("a phone's screen needs no scrolling sideways", async (browser) => {
  const page_file = path.join(folder, "phone.html");
  moblo("report", makeRun("phone", { title: "x".repeat(300) }), "--html", "--out", page_file);
  const { page, faults } = await openReport(browser, page_file, { viewport: { width: 360, height: 740 } });
  await drawnCharts(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 360, `${wide} pixels wide`);
  none(faults);
});

test("a hundred thousand steps: small, and interactive within a second", async (browser) => {
  const run = makeRun("long", { iterations: 100000, done: 0 });
  for (let k = 0; k < 100000; k += 10000) appendSteps(run, k, k + 10000);
  finish(run, 100000);
  const page_file = path.join(folder, "long.html"), begin = performance.now();
  moblo("report", run, "--html", "--out", page_file);
  const seconds = (performance.now() - begin) / 1000, bytes = fs.statSync(page_file).size;
  const { page, faults } = await openReport(browser, page_file);
  await page.locator(".chart svg").first().waitFor();
  const ms = await page.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  console.log(`      report ${seconds.toFixed(2)} s, page ${(bytes / 1e6).toFixed(2)} MB, interactive after ${Math.round(ms)} ms`);
  check(bytes < 3e6, `${bytes} bytes`);
  none(faults);
});

test("without the chart library the pictures stand, and the page says so", async (browser) => {
  const page_file = path.join(folder, "still.html");
  process.env.MOBLO_CHARTS = "/nonexistent";
  moblo("report", makeRun("still"), "--html", "--out", page_file);
  delete process.env.MOBLO_CHARTS;
  const { page, faults } = await openReport(browser, page_file);
  check(await page.locator("svg.plot").count() > 5, "no pictures");
  check((await page.locator("main").textContent()).includes("chart library was not found"), "it does not say so");
  none(faults);
});

await runTests();
