// What the tests of the HTML report share: reports in a headless Chromium, and claims about them.
//
//     node page_test.mjs PATH/TO/scalelaw PATH/TO/SOURCE
//
// Exits with 77 if there is no Chromium. If axe-core can be loaded (npm install axe-core, NODE_PATH), it also checks the
// accessibility of the pages.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, findChromium } from './browser.mjs';

export const [binary, source] = process.argv.slice(2);
const program = findChromium();
if (!program) {
  console.log('skipped: no chromium');
  process.exit(77);
}

const axeSource = (() => {
  try {
    return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  } catch (error) {
    console.log('axe-core is not there: accessibility is not checked');
    return null;
  }
})();

export const folder = mkdtempSync(join(tmpdir(), 'scalelaw-page-'));
export const scalelaw = (...words) => execFileSync(binary, ['--quiet', ...words], { encoding: 'utf8', maxBuffer: 1 << 28 });
export const reportOn = (input, name, ...options) => {
  const path = join(folder, name);
  scalelaw('report', input, ...options, '-o', path);
  return path;
};
export const study = (name, rows) => {
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? '"' + String(cell).replaceAll('"', '""') + '"' : cell))
    .join(',')).join('\n') + '\n');
  return path;
};

let failed = 0;
export const check = async (claim, work) => {
  try {
    await work();
    console.log('ok   ' + claim);
  } catch (error) {
    failed += 1;
    console.log('FAIL ' + claim + '\n     ' + String(error.stack ?? error).split('\n').slice(0, 12).join('\n     '));
  }
};

export const demo = join(source, 'data/demo/runs.csv');
export const browser = new Browser(program);
export const path = reportOn(demo, 'demo.html');

export const isQuiet = (page) => {
  assert.deepEqual(page.complaints, []);
  assert.equal(page.requests.length, 1, page.requests.join(' '));
};

export const accessible = async (page) => {
  if (!axeSource) return;
  await page.value(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
  await page.value(axeSource + '; 0');
  const found = await page.value(`axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations
    .map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')))`);
  assert.deepEqual(found, []);
};

// Sets a field of the page as a person would.
export const set = (page, id, value) => page.value(`(() => { const e = document.getElementById(${JSON.stringify(id)});
  e.value = ${JSON.stringify(String(value))};
  e.dispatchEvent(new Event(e.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true })); return e.value; })()`);

export const answers = (page) => page.value(`Object.fromEntries(Array.from(document.querySelectorAll('#what-if-answers tr'), (row) => {
  const number = (text) => (text === undefined ? null : Number(text));
  const [, median, mean, ends] = row.cells;
  return [row.dataset.figure, { median: number(median.dataset.value), mean: number(mean.dataset.value),
    lower: number(ends.dataset.lower), upper: number(ends.dataset.upper) }];
}))`);

export const near = (a, b, what) => {
  if (a === null && b === null) return;
  assert.ok(a !== null && b !== null && Math.abs(a - b) <= 5e-7 * Math.abs(b), `${what}: page ${a}, predict ${b}`);
};

// Compares the panel for one group and scale with `predict`.
export const agrees = async (page, group, x, prediction) => {
  for (let i = 0; i < group.length; ++i) assert.equal(await set(page, 'what-if-by-' + i, group[i]), group[i]);
  await set(page, 'what-if-x', x);
  const figures = await answers(page);
  const name = group.join(' ') + ' at ' + x;
  const time = Object.values(figures)[0];
  near(time.median, prediction.median, name + ' median');
  near(time.mean, prediction.mean, name + ' mean');
  near(time.lower, prediction.pi?.[0] ?? null, name + ' lower');
  near(time.upper, prediction.pi?.[1] ?? null, name + ' upper');
  near(figures.efficiency.median, prediction.efficiency, name + ' efficiency');
  if (prediction.gpu_hours !== null) near(figures['GPU-hours'].median, prediction.gpu_hours, name + ' GPU-hours');
  if (prediction.kwh) {
    near(figures.kWh.median, prediction.kwh.median, name + ' kWh');
    near(figures.kWh.lower, prediction.kwh.pi[0], name + ' kWh from');
    near(figures.kWh.upper, prediction.kwh.pi[1], name + ' kWh to');
  }
  if (prediction.co2_kg) near(figures['kg CO2'].median, prediction.co2_kg, name + ' CO2');
  if (prediction.cost) near(figures.cost.median, prediction.cost, name + ' cost');
};

export const agreesEverywhere = async (input, name, scales, ...options) => {
  const forecasts = JSON.parse(scalelaw('predict', input, '--at', scales.join(','), '--format', 'json', ...options)).forecasts;
  const page = await browser.open('file://' + reportOn(input, name, ...options));
  let compared = 0;
  for (const forecast of forecasts) {
    for (const prediction of forecast.predictions) {
      await agrees(page, Object.values(forecast.group), prediction.x, prediction);
      compared += 1;
    }
  }
  assert.ok(compared > 0);
  isQuiet(page);
};

export const open = (options = {}) => browser.open('file://' + (options.path ?? path) + (options.hash ?? ''), options);
export const unfold = (page, id) => page.value(`document.querySelector('#${id} > details').open = true`);
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// What the page answers: to the questions above the table, then below the chart.
export const said = (page) => page.value(`['ask-said', 'chart-said'].map((id) => document.getElementById(id).innerText).filter((text) => text !== '').join('\\n')`);
export const key = async (page, name) => {
  await page.value(`document.getElementById('chart-handle').focus()`);
  for (const type of ['keyDown', 'keyUp']) await page.send('Input.dispatchKeyEvent', { type, key: name, code: name });
};

// Runs the claims, and tells how many did not hold.
export const main = async (claims) => {
  try {
    await claims();
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exitCode = failed > 0 ? 1 : 0;
};
