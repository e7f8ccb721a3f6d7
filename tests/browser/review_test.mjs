// The page of `moblo review` in a browser: node review_test.mjs PROGRAM SOURCE_FOLDER
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import zlib from "node:zlib";
import { check, equal, folder, hostile, none, openPage, program, runTests, test } from "./harness.mjs";

const crcOf = (bytes) => { let crc = ~0; for (const byte of bytes) { crc ^= byte; for (let k = 0; k < 8; ++k) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1)) } return ~crc >>> 0 };
function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]), out = Buffer.alloc(8 + body.length);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crcOf(body), 4 + body.length);
  return out;
}
/// A square of one colour.
function png(side, colour) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.concat(Array.from({ length: side }, () => Buffer.from([0, ...Array.from({ length: side }, () => colour).flat()])));
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk("IHDR", head), chunk("IDAT", zlib.deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

const classes = ["cat", "dog", "frog"];
function makeClean(name, { count = 4, table = false } = {}) {
  const place = path.join(folder, name);
  fs.mkdirSync(path.join(place, "pictures"), { recursive: true });
  const ids = Array.from({ length: count }, (_, i) => `pictures/${i}.png`), samples = {};
  ids.forEach((id, i) => {
    const file = path.join(place, id);
    fs.writeFileSync(file, png(32, [40 * i, 90, 200 - 30 * i]));
    samples[id] = table ? { values: [String(i), hostile] } : { picture: file };
  });
  fs.writeFileSync(path.join(place, "review.csv"), "dataset,id,given_label,predicted_label,wrong_probability,reason\n" +
    ids.map((id, i) => `pets,${id},${classes[i % 2]},${classes[(i + 1) % 2]},0.${9 - i},random\n`).join(""));
  fs.writeFileSync(path.join(place, "review.json"), JSON.stringify({ format: 1, command: "moblo clean --noisy pets.csv",
    datasets: [{ name: "pets", classes, columns: table ? ["number", hostile] : [], samples }] }));
  return place;
}

function review(place) {
  const server = spawn(program, ["review", place], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let text = "", ready = false;
    server.on("exit", (code) => reject(new Error(`review ended with ${code}`)));
    server.stdout.on("data", (data) => {
      text += data;
      const found = text.match(/http:\/\/[^ ]+/);
      if (!found || ready) return;
      ready = true;
      server.removeAllListeners("exit");
      const stop = (signal = "SIGINT") => new Promise((ended) => { server.on("exit", (code) => ended({ code, text })); server.kill(signal) });
      resolve({ url: found[0], stop });
    });
  });
}

const verdicts = (place) => { try { return fs.readFileSync(path.join(place, "verdicts.csv"), "utf8") } catch { return "" } };
const id = (page) => page.locator("#sample").textContent();

test("keys alone: given, suggested, a class, skip, undo; every answer is on the disk", async (browser) => {
  const place = makeClean("keys"), server = await review(place);
  const { page, faults } = await openPage(browser, {}, new URL(server.url).origin);
  await page.goto(server.url);
  await page.locator(".shown img").waitFor();
  check(!page.url().includes("token"), "the token stays in the address");
  check(await page.locator(".shown img").evaluate((image) => image.decode().then(() => image.naturalWidth === 32)), "no picture");
  equal(await id(page), "pictures/0.png", "the first sample");
  if (process.env.MOBLO_SCREENSHOT) await page.screenshot({ path: process.env.MOBLO_SCREENSHOT });
  const press = async (key, next) => { await page.keyboard.press(key); await page.locator("#sample", { hasText: next }).waitFor() };
  await press("y", "1.png");
  equal(verdicts(place), "dataset,id,checked_label,reason\npets,pictures/0.png,cat,random\n", "the first verdict");
  await press("n", "2.png");
  check(verdicts(place).includes("pets,pictures/1.png,cat,random"), "the suggested label");
  await press("s", "3.png");
  await press("3", "2.png");
  check(verdicts(place).includes("pets,pictures/3.png,frog,random"), "the third class");
  await press("u", "3.png");
  check(!verdicts(place).includes("3.png"), "undo leaves the verdict");
  await press("ArrowLeft", "2.png");
  await press("ArrowRight", "3.png");
  equal(await page.locator("#count").textContent(), "2 of 4 looked at", "the count");
  await press("1", "2.png");
  await page.keyboard.press("y");
  await page.locator("#command", { hasText: "moblo clean --noisy pets.csv --checked" }).waitFor();
  none(faults);
  const { code, text } = await server.stop();
  equal(code, 0, "the exit code");
  check(text.includes("4 of 4 samples have a verdict") && text.includes("--checked"), "it does not say how to go on");
});

test("a kill loses nothing, and the next one goes on", async (browser) => {
  const place = makeClean("killed"), server = await review(place);
  const { page } = await openPage(browser, {}, new URL(server.url).origin);
  await page.goto(server.url);
  await page.locator(".answer", { hasText: "dog" }).click();
  await page.locator("#sample", { hasText: "1.png" }).waitFor();
  await server.stop("SIGKILL");
  check(verdicts(place).includes("pets,pictures/0.png,dog,random"), "the verdict is lost");
  await page.keyboard.press("y");
  await page.locator("body.lost").waitFor();
  const again = await review(place), opened = await openPage(browser, {}, new URL(again.url).origin);
  await opened.page.goto(again.url);
  await opened.page.locator("#sample", { hasText: "1.png" }).waitFor();
  equal(await opened.page.locator("#count").textContent(), "1 of 4 looked at", "the count");
  none(opened.faults);
  await again.stop();
});

test("rows of a table, names that are hostile, a narrow screen", async (browser) => {
  const place = makeClean("table", { table: true }), server = await review(place);
  const { page, faults } = await openPage(browser, { viewport: { width: 360, height: 740 } }, new URL(server.url).origin);
  await page.goto(server.url);
  equal(await page.locator(".shown tr").count(), 2, "rows");
  check((await page.locator(".shown th").last().textContent()).includes("<script>"), "the name is not text");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  check(wide <= 360, `${wide} pixels wide`);
  check(!(await page.title()).startsWith("owned"), "a script ran");
  none(faults);
  await server.stop();
});

test("without the token, or from another page, nothing is told and nothing changes", async () => {
  const place = makeClean("strangers"), server = await review(place), { origin, port, searchParams } = new URL(server.url);
  const ask = (requestPath, method, headers) => new Promise((resolve, reject) => {
    const request = http.request({ port, host: "127.0.0.1", path: requestPath, method, headers }, (answer) => { answer.resume(); resolve(answer.statusCode) });
    request.on("error", reject);
    request.end();
  });
  const token = searchParams.get("token"), verdict = "/api/verdict?sample=0&label=cat", held = { authorization: `Bearer ${token}` };
  equal(await ask("/", "GET", {}), 401, "without a token");
  equal(await ask("/api/picture?sample=0", "GET", { authorization: "Bearer x" }), 401, "a wrong token");
  equal(await ask(verdict, "POST", held), 403, "without an origin");
  equal(await ask(verdict, "POST", { ...held, origin: "http://evil.example" }), 403, "another origin");
  equal(await ask("/", "GET", { ...held, host: "evil.example" }), 403, "another host");
  equal(verdicts(place), "", "verdicts");
  equal(await ask(verdict, "POST", { ...held, origin }), 200, "with all that is needed");
  check(verdicts(place).includes("pictures/0.png,cat"), "no verdict");
  await server.stop();
});

await runTests();
