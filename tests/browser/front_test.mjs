// The page of a front in a browser: node front_test.mjs PROGRAM SOURCE_FOLDER
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { check, equal, folder, hostile, moblo, none, openPage, runTests, test } from "./harness.mjs";

const beats = (a, b) => a.every((value, i) => value <= b[i]) && a.some((value, i) => value < b[i]);

/// A folder with front.json: points on a sphere, one of them too long; every other run has a report.
function makeFront(name, objectives, { count = 12, refits = false, title = "a front" } = {}) {
  const place = path.join(folder, name), m = objectives.length;
  const losses = Array.from({ length: count }, (_, k) => {
    const raw = objectives.map((_, i) => 0.1 + (m === 2 ? [k, count - 1 - k][i] / count : ((k + 1) * (0.37 + 0.61 * i)) % 1));
    const length = Math.hypot(...raw) / (k === 3 ? 1.4 : 1);
    return raw.map((value) => value / length);
  });
  const dominated = losses.map((mine) => losses.some((other) => beats(other, mine)));
  const points = losses.map((mine, index) => ({
    index, round: 0, preference: mine.map(() => 1 / m), warm_start_from: index ? index - 1 : null, losses: mine,
    refit_losses: refits ? mine.map((loss) => loss + 0.1) : null, run: `points/00${index}`, model: `points/00${index}/model.safetensors`,
    status: "completed", dominated: dominated[index], refit_dominated: refits ? dominated[index] : null,
  }));
  for (const { run, index } of points) {
    fs.mkdirSync(path.join(place, run), { recursive: true });
    if (index % 2 === 0) fs.writeFileSync(path.join(place, run, "report.html"), `<title>run ${index}</title>`);
  }
  const best = objectives.map((_, i) => losses.reduce((least, mine, k) => mine[i] < losses[least][i] ? k : least, 0));
  fs.writeFileSync(path.join(place, "front.json"), JSON.stringify({
    format: "moblo front", version: 1, title, problem: "front_octant", method: "forum", seed: 0, objectives, reference_point: objectives.map(() => 1.5),
    hypervolume: 0.7, refit_hypervolume: refits ? 0.6 : null, points, extremes: best, knee: 5,
    hypervolume_history: points.map((_, k) => ({ points: k + 1, hypervolume: 0.7 * (1 - 0.5 ** (k + 1)) })), rounds: 1, stopped_because: "all points done",
  }));
  return { place, points, dominated };
}

async function openFront(browser, place, options) {
  moblo("report", place, "--html");
  const opened = await openPage(browser, options);
  await opened.page.goto(pathToFileURL(path.join(place, "front.html")).href);
  return opened;
}

const shownPoint = (page) => page.locator("#front-point h3").textContent();
/// Clicks on a mark where it is drawn.
async function clickMark(page, svg, title) {
  const box = await page.locator(`${svg} .mark`, { has: page.locator(`title:text-matches("^Point ${title} ")`) }).first().boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}

test("two objectives: staircase, marks, a click shows the run, refits can be switched to", async (browser) => {
  const { place, dominated } = makeFront("two", ["loss", "gap"], { refits: true });
  const { page, faults } = await openFront(browser, place);
  equal(await page.locator(".plane .mark").count(), 12, "marks");
  equal(await page.locator(".plane .mark.hollow").count(), dominated.filter(Boolean).length, "hollow marks");
  equal(await page.locator(".plane .mark.knee").count(), 1, "knees");
  equal(await page.locator(".plane .mark.extreme").count(), 2, "best of an objective");
  check((await page.locator(".stairs").getAttribute("d")).length > 20, "no staircase");
  equal(await shownPoint(page), "Point 5", "the first point shown");
  equal(await page.locator("#front-point .go").count(), 0, "a link to a report that is not there");
  await clickMark(page, ".plane", 8);
  equal(await shownPoint(page), "Point 8", "the point after a click");
  equal(await page.locator("#front-point .go").getAttribute("href"), "points/008/report.html", "the link");
  check((await page.locator("#front-point").textContent()).includes("points/008/model.safetensors"), "no model");
  const before = await page.locator(".plane .tick").allTextContents();
  await page.locator(".switches button", { hasText: "retrained" }).click();
  equal(await page.locator('.switches [aria-pressed="true"]').textContent(), "retrained with alpha", "the switch");
  check(before.join() !== (await page.locator(".plane .tick").allTextContents()).join(), "the same axes");
  await page.locator(".plane").focus();
  await page.keyboard.press("ArrowRight");
  check(await shownPoint(page) !== "Point 8", "the arrow keys do nothing");
  await page.locator("tbody tr", { hasText: "points/002" }).locator("button").click();
  equal(await shownPoint(page), "Point 2", "the point of the table's row");
  await page.locator("#front-point .go").click();
  equal(await page.title(), "run 2", "the page of the run");
  none(faults);
});

test("three objectives: pairs, and a view that turns by mouse and keys", async (browser) => {
  const { place } = makeFront("three", ["F1", "F2", "F3"]);
  const { page, faults } = await openFront(browser, place);
  equal(await page.locator(".plane").count(), 3, "pairs");
  const positions = () => page.locator(".space .mark").evaluateAll((marks) => marks.map((mark) => mark.getAttribute("transform")).sort().join());
  const straight = await positions(), { x, y, width, height } = await page.locator(".space").boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 60, y + height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  const dragged = await positions();
  check(dragged !== straight, "dragging does not turn it");
  equal(await shownPoint(page), "Point 5", "dragging chooses no point");
  await page.locator(".space").focus();
  await page.keyboard.press("ArrowLeft");
  check(await positions() !== dragged, "the arrow key does not turn it");
  await page.keyboard.press("Home");
  equal(await positions(), straight, "turned back");
  await clickMark(page, ".space", 7);
  equal(await shownPoint(page), "Point 7", "the point after a click");
  none(faults);
});

test("five objectives: one line per point", async (browser) => {
  const { place } = makeFront("five", ["F1", "F2", "F3", "F4", "a name that is longer than its axis has room"]);
  const { page, faults } = await openFront(browser, place);
  equal(await page.locator(".strand").count(), 12, "lines");
  equal(await page.locator(".parallel .axis").count(), 5, "axes");
  await page.locator("#front-point button", { hasText: "›" }).click();
  equal(await shownPoint(page), "Point 6", "the next point");
  equal(await page.locator(".strand.chosen").count(), 1, "chosen lines");
  none(faults);
});

test("a phone's screen needs no scrolling sideways, and the colours switch", async (browser) => {
  for (const objectives of [["loss", "gap"], ["F1", "F2", "F3"], ["F1", "F2", "F3", "F4", "F5", "F6"]]) {
    const { place } = makeFront(`phone-${objectives.length}`, objectives, { refits: true, title: "x".repeat(200) });
    const { page, faults } = await openFront(browser, place, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 360, `${wide} pixels wide`);
    const ink = () => page.locator(".ring, .strand.chosen").first().evaluate((mark) => getComputedStyle(mark).stroke);
    const dark = await ink();
    await page.locator("#theme").click();
    check(await ink() !== dark, "the marks keep their colour");
    none(faults);
  }
});

test("hostile names stay text; points without numbers are in the table alone", async (browser) => {
  const { place } = makeFront("hostile", [hostile, "gap"], { title: hostile });
  const file = path.join(place, "front.json"), front = JSON.parse(fs.readFileSync(file));
  Object.assign(front.points[2], { losses: ["NaN", 0.5], status: hostile, run: hostile });
  Object.assign(front.points[4], { losses: [], status: "failed", model: null });
  fs.writeFileSync(file, JSON.stringify(front));
  const { page, faults } = await openFront(browser, place);
  equal(await page.locator(".plane .mark").count(), 10, "marks");
  equal(await page.locator("#points ~ .scroll tbody tr").count(), 12, "rows");
  await page.locator("#points ~ .scroll tbody button").nth(2).click();
  equal(await shownPoint(page), "Point 2", "a point that cannot be drawn");
  equal(await page.locator("h1").textContent(), hostile, "the title");
  equal(await page.locator("main img").count(), 0, "images");
  check(!(await page.title()).startsWith("owned"), "a script ran");
  none(faults);
});

await runTests();
