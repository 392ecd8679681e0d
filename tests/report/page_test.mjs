// The HTML report in a headless Chromium has no errors, uses no network, and is readable at both widths. It begins with the
// answer, folds, sorts, copies, pages and prints, and its what-if panel agrees with `scalelaw predict`.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, agrees, agreesEverywhere, answers, binary, browser, check, demo, folder, isQuiet, main, open, path, pause, reportOn, said, scalelaw,
  set, study, unfold } from './report_page.mjs';

await main(async () => {
  await check('the page of the demo study is at most 1.0 MB', () => assert.ok(statSync(path).size <= 1.0e6, String(statSync(path).size)));

  await check('the first screen has the chart beside the table, three recommendations at most, four figures', async () => {
    const page = await open({ width: 1280 });
    const box = (selector) => page.value(`(() => { const b = document.querySelector('${selector}').getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; })()`);
    const chart = await box('#chart svg');
    const table = await box('#advice-table');
    assert.ok(chart[2] <= table[0], 'beside each other');
    assert.ok(chart[3] <= 900 && table[3] <= 900 && table[2] <= 1280, JSON.stringify([chart, table]));
    assert.ok(await page.value(`document.querySelectorAll('#answer > ul.findings > li').length`) <= 3);
    assert.equal(await page.value(`document.querySelectorAll('#answer > ul.key > li').length`), 4);
    const said = await box('#chart-said');
    assert.ok(said[3] <= 900, 'the answer of the chart');
    const text = await page.value(`document.querySelector('#answer').innerText`);
    assert.doesNotMatch(text, /Best|best/);
  });

  await check('a reader finds the cap for BERT, the GPUs of a one-minute epoch, and what not to believe', async () => {
    const page = await open({ width: 1280 });
    await set(page, 'chart-limit-deadline', '1 min');
    const text = (await page.value(`document.querySelector('#answer').innerText`)).replaceAll('\n', ' ');
    assert.match(text, /100 W for DimeNet at 424 GPUs \(48 to 64 % less energy and -28 to \+1\.5 % time, 3 runs each; on average over 2 to 424 GPUs the choice is 200 W: 100 W takes 11 to 18 % more time\), stay at 250 W for BERT and ResNet50\. Only 250 W was tried for InceptionV3, SchNet and VGG16\. Undecided for ResNet50 is 200 W: at 128 GPUs /);
    assert.match(text, /For BERT, 200 W is undecided on average \(8\.5 to 14 % less energy, 2\.8 to 9\.3 % more time\), rejected at 424 GPUs \(-6\.6 to \+10 % energy, 12 to 31 % more time\)\./);
    assert.match(text, /How many GPUs\. Half of the ideal speedup is kept up to 424 GPUs by BERT and DimeNet, 128 by ResNet50, 8 by VGG16, 4 by InceptionV3 and SchNet; narrowly by BERT \(95 %: 48 to 55 %\) and ResNet50 \(50 to 54 %\)\./);
    assert.deepEqual(await page.value(`Array.from(document.querySelectorAll('#advice-table tbody tr'), (row) => [row.cells[0].textContent, row.cells[2].textContent])`),
      [['BERT', '250 W'], ['DimeNet', '100 W'], ['InceptionV3', '(250 W)'], ['ResNet50', '250 W'], ['SchNet', '(250 W)'], ['VGG16', '(250 W)']]);
    assert.match(text, /clock_mhz \(compared at 250 W only\): stay at 1380 MHz for DimeNet and ResNet50, the only ones compared\./);
    const [{ deadline }] = JSON.parse(scalelaw('predict', demo, '--where', 'model=BERT', '--where', 'power_cap_w=250', '--deadline', '60', '--format', 'json')).forecasts;
    assert.ok(text.includes(`BERT, 250 W, 1380 MHz within 60 s: ${deadline.median} GPUs (${deadline.lower} may do, ${deadline.upper} are safe, by the 95 % interval of new runs).`), text);
    assert.match(text, /On 823 GPUs that takes [0-9.]+ kWh; efficiency 48 %\. .*The same for the others, each with its setting of the table, which was chosen at the number of GPUs there: DimeNet, 100 W: \d+ \(\d+ safe\); InceptionV3: none up to 1696 \(4 times the data\);/);
    assert.match(text, /What not to believe\. Trust is only fair for BERT \(250 W or 200 W: runs and curves differ\), DimeNet \(faster at 100 W than 250 W\) and ResNet50 \(250 W or 200 W: undecided by 3 runs each\)\. There are no runs above 424 GPUs/);
    // Every kind of doubt that the page has stands in this list, and is explained in the other one.
    const kinds = await page.value(`Array.from(document.querySelectorAll('#doubts li strong'), (one) => one.textContent)`);
    assert.deepEqual(kinds, ['Laws not told apart.', 'Faster under a lower limit.', 'Runs and curves apart.']);
    assert.match(text, /More doubts below: laws not told apart, faster under a lower limit, runs and curves apart\./);
    assert.match(await page.value(`document.getElementById('doubts').textContent`), /^\s*More not to believe, explained/);
    // The same as Compare with says of these two.
    assert.match(await page.value(`document.getElementById('doubts').textContent`),
      /BERT with 200 W in place of 250 W at 424 GPUs: 21 % more time and 1\.5 % more energy by 3 runs each; 13 % more time and 5\.2 % less energy by the curves/);
  });

  await check('What if has the interval of the efficiency that the first screen has', async () => {
    const page = await open({ width: 1280 });
    const interval = `document.querySelector('#what-if-answers tr[data-figure="efficiency"]').cells[3].textContent`;
    assert.equal(await page.value(interval), '48 to 55 %, by the power law');
    await set(page, 'what-if-x', 848);  // Beyond the data laws part.
    assert.equal(await page.value(interval), '');
  });

  await check('on paper stand the rows of the first table, and no figure twice', async () => {
    const page = await open({ width: 1280 });
    const rows = (media, id) => page.send('Emulation.setEmulatedMedia', { media }).then(() => page.value(`Array.from(document.querySelectorAll('#${id} tbody tr'))
      .filter((row) => getComputedStyle(row.parentElement).display !== 'none').map((row) => Array.from(row.cells, (cell) => cell.textContent).slice(0, 4).join(' '))`));
    assert.equal((await rows('screen', 'energy-scales')).length, 20);
    const energy = await rows('print', 'energy-scales');
    assert.equal(energy.length, 54);
    for (const row of ['BERT 250 1380 424', 'DimeNet 100 1380 424', 'ResNet50 250 1380 128', 'VGG16 250 1380 8']) assert.ok(energy.includes(row), row);
    assert.equal((await rows('print', 'frontier-points')).length, 55);
    assert.equal((await rows('print', 'forecast-table')).length, 32);
    assert.equal(await page.value(`getComputedStyle(document.getElementById('figure-answer')).display`), 'none');
  });

  await check('a setting that was measured at fewer N says so where it is recommended, and each effect has its interval', async () => {
    const rows = [['model', 'power_cap_w', 'gpus', 'epoch_seconds', 'energy_per_epoch_j']];
    for (const [cap, most, slow, energy] of [[200, 16, 1.01, 0.8], [250, 64, 1, 1]]) {
      for (let n = 1; n <= most; n *= 2) for (const r of [0, 1, 2]) {
        const t = 900 / n ** 0.9 * slow * (1 + 0.004 * Math.sin(7 * n + 5 * r + cap));
        rows.push(['A', cap, n, t.toFixed(3), (t * n * 200 * energy).toFixed(1)]);
      }
    }
    const page = await browser.open('file://' + reportOn(study('fewer.csv', rows), 'fewer.html'), { width: 1280 });
    const text = await page.value(`document.querySelector('#answer').innerText`);
    assert.match(text, /200 W for A at 16 GPUs \([0-9.]+ to [0-9.]+ % less energy and .* time, 3 runs each; measured on 1 to 16 GPUs\)/);
    assert.match(await page.value(`document.querySelector('#advice-table tbody').innerText`), /200 W \(measured on 1 to 16 GPUs\)/);
    assert.match(text, /twice the GPUs take [0-9.]+ % less time and [0-9.]+ % (less|more) energy, (each )?\u00b1 [0-9.]+ percentage points( at most)? \(95 %\)/);
  });

  await check('one comparison decides, and the other one is named', async () => {
    const page = await open({ width: 1280 });
    const text = await page.value(`document.querySelector('#caps').textContent`);
    assert.match(text, /At 424 GPUs, as in the first table: at 100 W, runs take 57 % less energy \(95 %: 48 to 64\)/);
    assert.match(text, /On average over 2 to 424 GPUs: at 200 W, runs take 17 % less energy/);
    // What is undecided there is so on the first screen, by the same numbers.
    assert.match(text, /On average over 2 to 424 GPUs: stay at 250 W: [^;]*; the least energy is at 100 W: [^;]*; undecided is 200 W: 8\.5 to 14 % less energy and 2\.8 to 9\.3 % more time, /);
    assert.match(text, /At 128 GPUs, as in the first table: stay at 250 W: [^;]*; the least energy is at 100 W: [^;]*; undecided is 200 W: [0-9.]+ to [0-9.]+ % less energy and -8\.4 to \+11 % time, 3 runs each\./);
    // The row of DimeNet in the first table is at 100 W, where no other clock was measured.
    assert.match(text, /model DimeNet, power_cap_w 250: On average over 2 to 424 GPUs: stay at 1380 MHz/);
    assert.match(await page.value(`document.querySelector('#settings').textContent`), /This compares fitted laws, which rest on the runs at all numbers of GPUs\. "What settings save", which chooses the settings of the first table, compares the runs themselves, at one number and on average over all/);
    const chosen = await page.value(`Array.from(document.querySelectorAll('#caps-1 tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent)).filter((row) => row.at(-1) === 'yes')`);
    assert.deepEqual(chosen.map((row) => row.slice(0, 4)), [['DimeNet', '1380', '424', '100']]);
  });

  await check('levels whose exponents differ have no single ratio', async () => {
    const page = await open({ width: 1280 });
    const rows = await page.value(`Array.from(document.querySelectorAll('#setting-1 tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))`);
    assert.ok(rows.length === 9);
    for (const row of rows) assert.equal(row.at(-2) === '-', row.at(-3) === 'differ', row.join(' '));
  });

  await check('a note says on the first screen that nothing was measured', async () => {
    const note = 'Synthetic study: nothing here was measured.';
    const page = await open({ path: reportOn(demo, 'note.html', '--note', note), width: 1280 });
    const [text, bottom, weight] = await page.value(`(() => { const e = document.querySelector('p.note'); return [e.textContent, e.getBoundingClientRect().bottom, getComputedStyle(e).fontWeight]; })()`);
    assert.equal(text, note);
    assert.ok(bottom < 120 && Number(weight) >= 600, bottom + ' ' + weight);
  });

  await check('the page says once which work its times and energies are for', async () => {
    const page = await open({ width: 1280 });
    assert.match(await page.value(`document.querySelector('header').innerText`), /Times, energies and costs are for one epoch/);
  });

  await check('trust is said in words and by colour, and by a sign that is no colour', async () => {
    const page = await open({ width: 1280 });
    const cells = await page.value(`Array.from(document.querySelectorAll('#advice-table td.level'), (td) => [td.textContent, td.className, getComputedStyle(td, '::before').content])`);
    assert.equal(cells.length, 6);
    for (const [text, name, sign] of cells) {
      assert.equal(name, 'level ' + text.split(':')[0]);
      assert.match(sign, /[\u25CF\u25CB]{3}/);
    }
    await page.value(`document.querySelector('#advice-table th button').click()`);
    assert.equal(await page.value(`document.querySelectorAll('#advice-table td.level.high').length`), 3);
  });

  await check('folded, the page is at most 8 screens long; sentences stand once', async () => {
    const page = await open({ width: 1280 });
    const height = await page.value('document.documentElement.scrollHeight');
    assert.ok(height <= 8 * 900, String(height));
    const sections = await page.value(`Array.from(document.querySelectorAll('main section'), (one) => Array.from(one.querySelectorAll('ul.findings li'), (li) => li.textContent).join(' '))`);
    const places = new Map();
    sections.forEach((text, i) => {
      for (const sentence of text.split(/(?<=[.;:]) /).filter((one) => one.length > 60)) {
        assert.ok(!places.has(sentence) || places.get(sentence) === i, sentence);
        places.set(sentence, i);
      }
    });
    assert.ok(places.size > 30, String(places.size));
  });

  await check('a link into what is folded opens it; everything opens at once', async () => {
    const page = await open({ width: 1280, hash: '#ranking' });
    assert.equal(await page.value(`document.querySelector('#ranking > details').open`), true);
    assert.equal(await page.value(`document.querySelector('#energy > details').open`), false);
    await page.value(`document.querySelector('nav a[href="#energy"]').click()`);
    assert.equal(await page.value(`document.querySelector('#energy > details').open`), true);
    await page.value(`document.getElementById('unfold').click()`);
    assert.equal(await page.value(`document.querySelectorAll('section > details:not([open])').length`), 0);
    isQuiet(page);
  });

  await check('printed, the page has at most 12 pages with everything on them; headers repeat', async () => {
    const page = await open({ width: 1280 });
    const { data } = await page.send('Page.printToPDF', { preferCSSPageSize: true });
    const pages = (Buffer.from(data, 'base64').toString('latin1').match(/\/Type\s*\/Page\b/g) ?? []).length;
    assert.ok(pages >= 6 && pages <= 12, String(pages));
    await page.send('Emulation.setEmulatedMedia', { media: 'print' });
    const style = (selector, name) => page.value(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    assert.equal(await style('#law-table thead', 'display'), 'table-header-group');
    assert.equal(await style('#law-table caption', 'breakAfter'), 'avoid');
    assert.equal(await style('#law-table tbody tr', 'breakInside'), 'avoid');
    // Buttons are not repeated on further pages; the words of the headers are.
    assert.equal(await style('#law-table th button', 'display'), 'none');
    assert.equal(await page.value(`getComputedStyle(document.querySelector('#law-table th'), '::before').content`), '"model"');
    assert.equal(await page.value(`document.querySelector('#energy-scales').closest('.table').querySelector('.printed').innerText`),
      '54 of 144 rows: the groups and settings of the first table; the HTML file has all of them.');
  });

  await check('printed, the letters of figures have at least 5 pt', async () => {
    const page = await open({ width: 718 });  // 190 mm, the width of the page between its margins.
    await page.value(`document.getElementById('unfold').click()`);
    await page.send('Emulation.setEmulatedMedia', { media: 'print' });
    // Letters of a drawing have 15 of its pixels; 96 pixels of the page are 72 pt.
    const sizes = await page.value(`Array.from(document.querySelectorAll('figure > .scroll > svg'), (svg) => [svg.closest('figure').id,
      0.75 * 15 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width])`);
    assert.ok(sizes.length > 20);
    assert.deepEqual(sizes.filter(([, points]) => points > 0 && points < 5), []);
  });

  await check('each group has one verdict on the power law, in table and text, and what the tables say is not said again', async () => {
    const page = await open({ width: 1280 });
    const rows = await page.value(`Array.from(document.querySelectorAll('#ranking-table tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))`);
    const verdicts = Object.fromEntries(rows.map((row) => [row.slice(0, 3).join(' '), row[3]]));
    assert.equal(verdicts['SchNet 250 1380'], 'lognormal or broken; power law not excluded');
    assert.equal(verdicts['BERT 250 1380'], 'power law or broken');
    const text = await page.value(`document.querySelector('#ranking').textContent`);
    assert.match(text, /The runs of 15 of 16 groups follow a power law, [0-9] of them another law as well\./);
    assert.equal(rows.filter((row) => row[3].startsWith('power law')).length, 15);
    assert.match(text, /SchNet, 250 W, 1380 MHz: The runs are described better by a bend \(lognormal\) or a break than by a plain power law, which the tests do not exclude \(p = 0\.41, corrected for 16 tests\)\./);
    assert.equal(await page.value(`document.querySelectorAll('#ranking li').length`), 2);
    assert.equal(await page.value(`document.querySelectorAll('#energy li').length`), 1);
    assert.doesNotMatch(await page.value(`document.querySelector('#caps').textContent`), /takes [0-9.]+ % of the energy and/);
    // A caption does not begin with the words of its title.
    const captions = await page.value(`Array.from(document.querySelectorAll('figcaption'), (one) => [one.querySelector('strong').textContent.replace('.', ''), one.textContent])`);
    for (const [title, caption] of captions) assert.equal(caption.toLowerCase().split(title.toLowerCase()).length, 2, caption);
  });

  await check('the cost of time and energy says what it asks beside the first table', async () => {
    const page = await open({ width: 1280 });
    const text = await page.value(`document.querySelector('#frontier').textContent`);
    assert.match(text, /Cost is 0\.5 × energy \+ 0\.5 × the greatest power_cap_w × GPU-hours, by an eta of 0\.5\. It asks another question than the first table, which takes as many GPUs as still work well:/);
    assert.match(text, /model BERT: 10 of 27 points are on the frontier of time and energy, at power_cap_w 100 \(9\), 250 \(1\), never 200\. Least cost: 200 W, 1380 MHz, 2 GPUs, in 84 % of draws; off the frontier\./);
    assert.doesNotMatch(text, /--time-cost|eta 0\.5 the cost|best for eta/);
  });

  await check('labels of time against energy lie on no other, and its circle ends the legend', async () => {
    const page = await open({ width: 1280 });
    await unfold(page, 'frontier');
    const texts = await page.value(`Array.from(document.querySelectorAll('#figure-frontier svg text'), (one) => { const b = one.getBoundingClientRect(); return [one.textContent, b.left, b.top, b.right, b.bottom]; })`);
    const names = texts.map(([text]) => text);
    assert.ok(names.indexOf('least cost, eta 0.5') > names.indexOf('250 W, 735 MHz') && names.indexOf('250 W, 735 MHz') > 0, names.join());
    const labels = texts.filter(([text]) => /^(2|4|8|16|32|64|128|256|424)$/.test(text));
    assert.ok(labels.length > 40, String(labels.length));
    for (const [i, a] of labels.entries()) {
      for (const b of labels.slice(i + 1)) assert.ok(a[3] <= b[1] || b[3] <= a[1] || a[4] - 3 <= b[2] || b[4] - 3 <= a[2], JSON.stringify([a, b]));
    }
  });

  await check('first contentful paint comes within half a second', async () => {
    const times = [];
    for (let i = 0; i < 3; ++i) {
      const page = await open({ width: 1280 });
      await pause(100);
      times.push(await page.value(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
    }
    assert.ok(Math.min(...times) < 500, times.join(' '));
  });

  await check('at 360 px the panels are stacked, the first column stays, and what is wider says so', async () => {
    const page = await open({ width: 360 });
    await pause(200);
    const silent = await page.value(`Array.from(document.querySelectorAll('.scroll'))
      .filter((box) => box.scrollWidth > box.clientWidth + 1 && !box.classList.contains('wide')).length`);
    assert.equal(silent, 0, 'boxes that hide a column without a word');
    await page.value(`document.getElementById('unfold').click()`);
    await pause(100);
    const wide = await page.value(`Array.from(document.querySelectorAll('.scroll'), (box) => [box.scrollWidth > box.clientWidth + 1, box.classList.contains('wide'), getComputedStyle(box, '::before').content])`);
    assert.ok(wide.some(([scrolls]) => scrolls));
    for (const [scrolls, marked, cue] of wide) {
      assert.equal(scrolls, marked);
      if (scrolls) assert.match(cue, /scroll sideways/);
    }
    const places = await page.value(`(() => { const box = document.querySelector('#law-table').parentElement; box.scrollLeft = 200;
      const cell = box.querySelector('tbody td').getBoundingClientRect(); return [box.scrollLeft, cell.left - box.getBoundingClientRect().left]; })()`);
    assert.ok(places[0] >= 100 && Math.abs(places[1]) <= 1, places.join(' '));
    // The first table is cards, so that nothing of it is beyond the edge.
    const cards = await page.value(`Array.from(document.querySelectorAll('#advice-table td'), (td) => [td.getBoundingClientRect().right, getComputedStyle(td, '::before').content])`);
    assert.ok(cards.every(([right]) => right <= 360), JSON.stringify(cards));
    for (const title of ['gpus', 'setting', 'epoch_seconds', 'kWh', 'efficiency']) assert.ok(cards.some(([, before]) => before.includes(title)), title);
    const [chart, table] = await page.value(`['#chart', '#advice-table'].map((one) => document.querySelector(one).getBoundingClientRect()).map((b) => [b.left, b.top, b.bottom, b.right])`);
    assert.ok(table[1] >= chart[2] && chart[3] <= 360);
    const caption = await page.value(`document.querySelector('#advice-table caption').getBoundingClientRect().right`);
    assert.ok(caption <= 360, 'the caption is read without scrolling: ' + caption);
    assert.ok(await page.value('document.documentElement.scrollWidth') <= 360);
  });

  await check('a note stands below the title; a deadline and a budget leave the trust on the screen', async () => {
    const page = await open({ path: reportOn(demo, 'note.html', '--note', 'Synthetic <runs>', '--deadline', '60s', '--budget-gpu-hours', '10'), width: 1280 });
    assert.equal(await page.value(`document.querySelector('header p.note').textContent`), 'Synthetic <runs>');
    const edges = await page.value(`[document.querySelector('#advice-table td.level').getBoundingClientRect().right, document.querySelector('#advice-table').closest('.scroll').getBoundingClientRect().right]`);
    assert.ok(edges[0] <= edges[1] + 1, edges.join(' '));
    isQuiet(page);
  });

  await check('no answer is trusted highly where the page warns of its fit', async () => {
    const rows = [['model', 'gpus', 'epoch_seconds']];
    for (let g = 0; g < 6; ++g) {
      for (let i = 0; i < 6; ++i) for (const r of [0, 1]) rows.push(['m' + g, 2 ** i, (900 * 2 ** (-0.95 * i) * (1 + 0.01 * Math.sin(3 * g + 5 * i + 2 * r)) * (g === 4 && i === 3 && r === 1 ? 1.12 : 1)).toFixed(3)]);
    }
    const page = await browser.open('file://' + reportOn(study('warned.csv', rows), 'warned.html'), { width: 1280 });
    const trust = await page.value(`Array.from(document.querySelectorAll('#advice-table tbody tr'), (row) => [row.cells[0].textContent, row.querySelector('td.level').textContent])`);
    assert.deepEqual(trust.filter(([, text]) => !text.startsWith('high')).map(([name]) => name), ['m4'], trust.join('\n'));
    assert.match(trust[4][1], /^fair: warning (outlier|influential|lack-of-fit) of its law/);
    const text = await page.value(`document.querySelector('#answer').innerText`);
    assert.match(text, /Trust is only fair for m4 \(warning (outlier|influential|lack-of-fit) of its law\)\./);
    assert.match(text, /5 of 6\s+rows have high trust/);
  });

  await check('a deadline beyond the data is trusted less, and other numbers of the fields are told apart', async () => {
    const page = await open({ path: reportOn(demo, 'far.html', '--deadline', '60s'), width: 1280 });
    const trust = await page.value(`Object.fromEntries(Array.from(document.querySelectorAll('#advice-table tbody tr'), (row) => [row.cells[0].textContent, row.querySelector('td.level').textContent]))`);
    assert.match(trust.BERT, /^fair: 823 GPUs are beyond the data/);
    assert.match(trust.VGG16, /^low: 8580 GPUs are far beyond the data/);
    assert.match(trust.DimeNet, /^fair: faster at 100 W than 250 W$/);
    assert.match(await page.value(`document.querySelector('#answer').innerText`), /0 of 6\s+rows have high trust/);
    assert.match(await said(page), /BERT: |DimeNet, 100 W: 216 \(251 safe\); .*SchNet: 566 \(756 safe, beyond the data\)/);
    assert.doesNotMatch(await said(page), /with which the report was made/);
    await set(page, 'chart-limit-deadline', '120');
    assert.match(await said(page), /The headline and the first table keep the deadline of 60 s, with which the report was made\./);
    await set(page, 'chart-limit-deadline', '100000');
    assert.match(await said(page), /1 GPU \(1 is safe, by the 95 % interval of new runs\)\. That is below the data, which begin at 2\. On 1 GPU that takes/);
    const whole = await page.value(`Array.from(document.querySelectorAll('#advice-table tbody tr'), (row) => row.querySelector('td.level').previousElementSibling).every((cell) => {
      const range = document.createRange();
      const text = cell.firstChild;
      return Array.from(text.data.matchAll(/[0-9]+/g)).every((one) => { range.setStart(text, one.index); range.setEnd(text, one.index + one[0].length); return range.getClientRects().length === 1; });
    })`);
    assert.ok(whole, 'numbers of the table are not broken');
    isQuiet(page);
  });

  await check('settings: one rule, and few lines for many groups', async () => {
    const rows = [['model', 'power_cap_w', 'gpus', 'epoch_seconds', 'energy_per_epoch_j']];
    for (let g = 0; g < 12; ++g) {
      for (const [cap, slow, energy] of [[100, 1.4, 0.6], [200, 1.03, 0.87], [250, 1, 1]]) {
        for (let i = 0; i < 6; ++i) for (const r of [0, 1]) {
          const t = 900 * 2 ** (-(0.6 + 0.02 * g) * i) * (1 + (g % 2 ? 0.05 : 0.01) * Math.sin(7 * g + 11 * i + 5 * r + cap));
          rows.push(['job' + g, cap, 2 ** i, (t * slow).toFixed(3), (t * energy * 2 ** i * 200).toFixed(1)]);
        }
      }
    }
    const page = await browser.open('file://' + reportOn(study('caps12.csv', rows), 'caps12.html'), { width: 1280 });
    const settings = await page.value(`Array.from(document.querySelectorAll('#advice-table tbody tr'), (row) => [row.cells[0].textContent, row.cells[2].textContent, row.querySelector('td.level').textContent])`);
    for (const [name, setting, trust] of settings) if (/undecided/.test(trust)) assert.equal(setting, '250 W', name + ' ' + trust);
    assert.ok(settings.some(([, , trust]) => /undecided/.test(trust)));
    const lines = await page.value(`Array.from(document.querySelectorAll('#answer > ul.findings > li'), (li) => Math.round(li.getBoundingClientRect().height / parseFloat(getComputedStyle(li).lineHeight)))`);
    assert.ok(lines.every((one) => one <= 3), lines.join());
    const moved = settings.filter(([, setting]) => setting === '200 W').length;
    const text = await page.value(`document.querySelector('#answer > ul.findings').innerText`);
    assert.ok(text.includes(`200 W for ${moved} of 12 groups (`), text);
  });

  await check('figures of few groups show those of the first table, in the colours of the chart', async () => {
    const page = await open({ width: 1280 });
    for (const id of ['figure-efficiency', 'figure-energy', 'figure-forecast', 'figure-utilisation']) {
      assert.match(await page.value(`document.querySelector('#${id} figcaption').textContent`), /Shown are the groups of the first table\./, id);
    }
    assert.match(await page.value(`document.querySelector('#figure-forecast').textContent`), /DimeNet, 100 W/);
  });

  await check('long names wrap, and leave the trust on the first screen', async () => {
    const rows = [['model', 'nodes', 'step_time_ms']];
    for (const name of ['meta-llama/Llama-3.1-405B-Instruct-FP8-dynamic-quantised', 'mistral-community/Mixtral-8x22B-v0.1-original-bf16-again']) {
      [800, 410, 212, 108, 55.5].forEach((y, i) => rows.push([name, 2 ** i, y * (1 + 0.01 * Math.sin(name.length + i))]));
    }
    const page = await browser.open('file://' + reportOn(study('long.csv', rows), 'long.html'), { width: 1280 });
    const right = await page.value(`document.querySelector('#advice-table td.level').getBoundingClientRect().right`);
    assert.ok(right <= 1280, String(right));
    assert.match(await said(page), /meta-llama\/Llama-3\S*\u2026\S+ at 16 nodes: /);
    await set(page, 'chart-limit-deadline', '50');
    assert.match(await said(page), / within 50 ms: /);
    isQuiet(page);
  });

  await check('five rows and 200 groups make pages that are as usable', async () => {
    const five = [['gpus', 'epoch_seconds'], [1, 100], [2, 52], [4, 27], [8, 14.5], [16, 8]];
    const many = [['model', 'gpus', 'epoch_seconds']];
    for (let g = 0; g < 200; ++g) [100, 52, 27, 14.5, 8].forEach((y, i) => many.push(['m' + g, 2 ** i, (y * (1 + g / 100) * (1 + 0.01 * Math.sin(7 * g + i))).toFixed(4)]));
    for (const [name, rows, groups] of [['five', five, 1], ['many200', many, 200]]) {
      const page = await browser.open('file://' + reportOn(study(name + '.csv', rows), name + '.html'), { width: 1280 });
      assert.equal(await page.value(`document.querySelectorAll('#advice-table tbody:not(.paper) tr').length`), Math.min(groups, 20));
      assert.ok(await page.value('document.documentElement.scrollHeight') <= 8 * 900);
      assert.ok(await page.value(`document.querySelectorAll('#chart .mark').length`) >= 5);
      if (groups > 20) {
        const tools = `document.querySelector('#advice-table').closest('.table').querySelector('.tools')`;
        await page.value(`Array.from(${tools}.querySelectorAll('button')).find((one) => one.textContent === 'Show all 200 rows').click()`);
        await pause(100);
        assert.equal(await page.value(`document.querySelectorAll('#advice-table tbody tr').length`), 200);
        const name = await page.value(`(() => { const one = document.querySelectorAll('#advice-table button.choose')[150]; one.click(); return one.textContent; })()`);
        assert.ok((await said(page)).startsWith(name + ' at 16 GPUs: '), await said(page));
      }
      isQuiet(page);
      await accessible(page);
    }
  });

  for (const width of [360, 1400]) {
    for (const dark of [false, true]) {
      await check(`at ${width} px, ${dark ? 'dark' : 'light'}: quiet, no scrolling sideways, figures are seen`, async () => {
        const page = await browser.open('file://' + path, { width, dark });
        isQuiet(page);
        await page.value(`document.getElementById('unfold').click()`);
        assert.ok(await page.value('document.documentElement.scrollWidth') <= width);
        const boxes = await page.value(`Array.from(document.querySelectorAll('figure svg'), (svg) => {
          const box = svg.getBoundingClientRect(); return [box.width, box.height, svg.querySelectorAll('path').length]; })`);
        assert.ok(boxes.length > 5);
        for (const [w, h, paths] of boxes.filter(([width]) => width > 0)) assert.ok(w >= 300 && h >= 150 && paths > 10, `${w} x ${h}, ${paths} paths`);
        await accessible(page);
      });
    }
  }

  await check('a click sorts by numbers, a second one turns the order, the keyboard does too', async () => {
    const page = await browser.open('file://' + path);
    await unfold(page, 'laws');
    const button = `document.querySelectorAll('#law-table thead tr:last-child th')[6].querySelector('button')`;
    const column = `Array.from(document.querySelectorAll('#law-table tbody tr'), (row) => Number(row.cells[6].dataset.v))`;
    assert.equal(await page.value(button + '.textContent'), 'beta');
    const before = await page.value(column);
    const ascending = before.toSorted((a, b) => a - b);
    assert.notDeepEqual(before, ascending);
    await page.value(button + '.click()');
    assert.deepEqual(await page.value(column), ascending);
    assert.equal(await page.value(button + ".closest('th').getAttribute('aria-sort')"), 'ascending');
    await page.value(button + '.focus()');
    for (const type of ['keyDown', 'keyUp']) {
      await page.send('Input.dispatchKeyEvent', { type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: type === 'keyDown' ? '\r' : undefined });
    }
    assert.deepEqual(await page.value(column), ascending.toReversed());
    assert.equal(await page.value(`document.querySelectorAll('#law-table [aria-sort]').length`), 1);
    isQuiet(page);
  });

  await check('a table is copied as CSV with all digits', async () => {
    const page = await browser.open('file://' + path);
    await page.value(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } }); 0`);
    await page.value(`document.querySelector('#law-table').closest('.table').querySelector('.tools button').click()`);
    const lines = (await page.value('window.copied')).trimEnd().split('\n');
    assert.equal(lines.length, 17);
    assert.ok(lines[0].startsWith('model,power_cap_w,clock_mhz,n,gpus,alpha,beta,'), lines[0]);
    const beta = JSON.parse(scalelaw('fit', demo, '--format', 'json')).fits[0].parameters.beta.estimate;
    assert.equal(Number(lines[1].split(',')[6]), beta);
  });

  await check('a pointer over a point shows its value', async () => {
    const page = await browser.open('file://' + path);
    await page.value(`document.querySelector('#figure-scaling .point').dispatchEvent(new PointerEvent('pointerenter', { clientX: 50, clientY: 50 }))`);
    assert.match(await page.value(`document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent`), /BERT.*gpus 2: 1\d+/);
    await page.value(`document.querySelector('#figure-scaling details').open = true`);
    await page.value('new Promise((resolve) => setTimeout(resolve, 50))');
    assert.equal(await page.value(`document.querySelectorAll('#figure-scaling details li').length`), 144);
  });

  await check('the figures of the paper stand in their order, 2 to 6 and 8 to 17, each with a number in its caption', async () => {
    const page = await browser.open('file://' + path);
    const captions = await page.value(`Array.from(document.querySelectorAll('#published figure'), (figure) => figure.textContent)`);
    const numbers = await page.value(`Array.from(document.querySelectorAll('#published figure'), (figure) => Number(figure.id.match(/[0-9]+$/)[0]))`);
    assert.deepEqual(numbers, [2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
    for (const caption of captions) assert.doesNotMatch(caption, /Not in this study|Not drawn/);
    // Three runs of six models at two scales; means of three models at seven scales, and of two models.
    const points = (id) => page.value(`document.querySelectorAll('#published-figure-${id} .point').length`);
    assert.deepEqual([await points(2), await points(3), await points(4), await points(15), await points(16)], [36, 42, 42, 28, 28]);
    // The paper: about 40 % at 2 GPUs, 20 % at 128.
    assert.match(captions[1], /Most change in memory: BERT, from (39|40|41)[.0-9]* % at 2 GPUs to (19|20|21)[.0-9]* % at 128 GPUs/);
  });

  await check('frontier: every point of it stands in the table, as pareto has it', async () => {
    const page = await browser.open('file://' + path);
    await page.value(`Array.from(document.querySelector('#frontier-points').closest('.table').querySelectorAll('.tools button')).find((one) => one.textContent.startsWith('Show all')).click()`);
    await pause(100);
    const rows = await page.value(`Array.from(document.querySelectorAll('#frontier-points tbody tr'), (row) => row.cells[0].textContent)`);
    const found = JSON.parse(scalelaw('pareto', demo, '--knobs', 'power_cap_w,clock_mhz,gpus', '--bootstrap', '0', '--format', 'json'));
    const text = JSON.stringify(found);
    assert.equal(rows.length, (text.match(/"on_frontier":true/g) ?? []).length);
    assert.match(await page.value(`document.querySelector('#frontier').textContent`), /model BERT: \d+ of 27 points are on the frontier/);
  });

  await check('from standard input the page has energy, a hash and the same words', async () => {
    const streamed = join(folder, 'streamed.html');
    execFileSync(binary, ['--quiet', 'report', '-', '-o', streamed], { input: readFileSync(demo) });
    const words = async (file) => {
      const page = await browser.open('file://' + file);
      return page.value(`Array.from(document.querySelectorAll('main section:not(#origin):not(#what-if)'), (one) => one.textContent)`);
    };
    assert.deepEqual(await words(streamed), await words(path));
    assert.match(readFileSync(streamed, 'utf8'), /standard input: \d+ bytes, SHA-256 [0-9a-f]{64}/);
  });

  await check('at 1280 px no table hides a column for the width of its headers', async () => {
    const page = await open({ width: 1280 });
    await page.value(`document.getElementById('unfold').click()`);
    await pause(100);
    for (const id of ['ranking-table', 'forecast-table']) {
      assert.ok(await page.value(`(() => { const box = document.getElementById('${id}').parentElement; return box.scrollWidth <= box.clientWidth + 1; })()`), id);
    }
  });

  await check('printed, the page has its tables and none of its controls', async () => {
    const page = await browser.open('file://' + path);
    await page.value(`document.querySelector('#laws > details').open = true`);
    await page.send('Emulation.setEmulatedMedia', { media: 'print' });
    assert.equal(await page.value(`getComputedStyle(document.querySelector('.tools')).display`), 'none');
    assert.equal(await page.value(`getComputedStyle(document.querySelector('#what-if')).display`), 'none');
    assert.notEqual(await page.value(`getComputedStyle(document.querySelector('#law-table')).display`), 'none');
    // The drawn figure whose place the chart has is not drawn again.
    const [said, drawn] = await page.value(`[document.querySelector('#laws summary span').textContent, document.querySelectorAll('#laws figure').length]`);
    assert.equal(said, '1 table, ' + drawn + ' figures');
  });

  await check('the what-if panel agrees with predict: demo study with CO2 and cost', () =>
    agreesEverywhere(demo, 'what-if.html', [1, 3, 100, 424, 1000, 5000, 100000], '--carbon-intensity', 'FR', '--price', '0.25', '--pue', '1.2'));

  await check('the what-if panel agrees with predict: few points, curved ones, exact ones', () => {
    const rows = [['model', 'gpus', 'epoch_seconds']];
    [100, 52, 27, 15].forEach((y, i) => rows.push(['few', 2 ** i, y]));
    [100, 60, 41, 30, 26, 23.5, 22].forEach((y, i) => rows.push(['floor', 2 ** i, y]));
    [100, 50, 25, 12.5, 6.25].forEach((y, i) => rows.push(['exact', 2 ** i, y]));
    [[1, 100], [1, 104], [8, 14], [8, 13.2], [64, 2.4], [64, 2.1]].forEach(([x, y]) => rows.push(['repeats', x, y]));
    [[1, 100], [2, 49]].forEach(([x, y]) => rows.push(['two', x, y]));
    return agreesEverywhere(study('shapes.csv', rows), 'shapes.html', [1, 6, 48, 1000]);
  });

  await check('the what-if panel agrees with predict: a throughput, 90 %', () => {
    const rows = [['model', 'gpus', 'images_per_second']];
    [400, 770, 1500, 2700, 5100, 8700].forEach((y, i) => rows.push(['a "quoted" one', 2 ** i, y]));
    return agreesEverywhere(study('rate.csv', rows), 'rate.html', [3, 64, 512], '-y', 'images_per_second', '--rate', '--confidence', '0.9');
  });

  await check('grids fill in their grams', async () => {
    const page = await browser.open('file://' + path);
    await set(page, 'what-if-grid', '56');
    assert.equal(await page.value(`document.getElementById('what-if-carbon').value`), '56');
    assert.ok('kg CO2' in await answers(page));
  });

  await check('names with markup and script are text', async () => {
    const names = ['<script>window.hacked = 1</script>', '</script><img src=x onerror="window.hacked = 2">', `x');window.hacked=3;('`,
      '"><svg onload=window.hacked=4>', '50% \\textbf{a}_b & {{body}} ${1} `id`', '\u4e2d\u6587 \u{1f600}', "it's *b* [l](javascript:1) | $(id)"];
    const rows = [['model', 'gpus', 'epoch_seconds']];
    for (const name of names) [100, 52, 27, 15, 8].forEach((y, i) => rows.push([name, 2 ** i, y * (1 + 0.01 * i * i)]));
    const page = await browser.open('file://' + reportOn(study('hostile.csv', rows), 'hostile.html'));
    for (const point of ['pointerenter', 'mousemove', 'click']) {
      await page.value(`document.querySelectorAll('.point').forEach((e) => e.dispatchEvent(new PointerEvent(${JSON.stringify(point)}, { bubbles: true })))`);
    }
    assert.equal(await page.value('typeof window.hacked'), 'undefined');
    assert.equal(await page.value('document.images.length'), 0);
    const shown = await page.value(`Array.from(document.querySelectorAll('#law-table tbody tr'), (row) => row.cells[0].textContent)`);
    assert.deepEqual(shown.toSorted(), names.toSorted());
    isQuiet(page);
    await accessible(page);
  });

  await check('long tables are paged, found in and sorted as a whole', async () => {
    const rows = [['model', 'gpus', 'epoch_seconds']];
    for (let g = 0; g < 260; ++g) {
      [100, 51, 26, 14].forEach((y, i) => rows.push(['m' + g, 2 ** i, (y * (1 + 0.02 * Math.sin(7 * g + 3 * i)) * 1.5 ** (-i * g / 260)).toFixed(4)]));
    }
    const page = await browser.open('file://' + reportOn(study('many.csv', rows), 'many.html'));
    const count = `document.querySelectorAll('#law-table tbody:not(.paper) tr').length`;
    const tools = `document.querySelector('#law-table').closest('.table').querySelector('.tools')`;
    assert.equal(await page.value(count), 20);
    assert.match(await page.value(tools + '.textContent'), /1 to 20 of 260/);
    await page.value(`${tools}.querySelectorAll('button')[2].click()`);
    await pause(200);
    assert.match(await page.value(tools + '.textContent'), /21 to 40 of 260/);
    const beta = `Array.from(document.querySelectorAll('#law-table tbody tr'), (row) => Number(row.cells[4].dataset.v))`;
    await page.value(`document.querySelectorAll('#law-table thead th')[4].querySelector('button').click()`);
    const least = (await page.value(beta))[0];
    const all = JSON.parse(scalelaw('fit', join(folder, 'many.csv'), '--format', 'json')).fits.map((fit) => fit.parameters.beta.estimate);
    assert.equal(least, Math.min(...all));
    await page.value(`(() => { const e = ${tools}.querySelector('input'); e.value = 'm25'; e.dispatchEvent(new Event('input')); })()`);
    await pause(50);
    assert.equal(await page.value(count), 11);
    isQuiet(page);
    await accessible(page);
  });

  await check('much data is compressed, and sorted, found, copied and asked all the same', async () => {
    const rows = [['model', 'gpus', 'epoch_seconds']];
    for (let g = 0; g < 3000; ++g) {
      [100, 51, 26, 14].forEach((y, i) => rows.push(['m' + g, 2 ** i, (y * (1 + 0.02 * Math.sin(7 * g + 3 * i)) * 1.5 ** (-i * g / 3000)).toFixed(4)]));
    }
    const input = study('thousands.csv', rows);
    const file = reportOn(input, 'thousands.html');
    assert.ok(statSync(file).size < 7e6, String(statSync(file).size));
    const page = await browser.open('file://' + file);
    const until = async (expression) => {
      for (let i = 0; i < 500 && !await page.value(expression); ++i) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    assert.equal(await page.value(`document.getElementById('law-table-rows').type`), 'application/gzip');
    await page.value(`document.querySelectorAll('#law-table thead th')[4].querySelector('button').click()`);
    await until(`document.querySelector('#law-table [aria-sort]')`);
    const fits = JSON.parse(scalelaw('fit', input, '--format', 'json')).fits;
    const least = Math.min(...fits.map((fit) => fit.parameters.beta.estimate));
    assert.equal(await page.value(`Number(document.querySelector('#law-table tbody tr').cells[4].dataset.v)`), least);
    await page.value(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } }); 0`);
    await page.value(`document.querySelector('#law-table').closest('.table').querySelector('.tools button').click()`);
    await until('window.copied');
    const lines = (await page.value('window.copied')).trimEnd().split('\n');
    assert.equal(lines.length, 3001);
    assert.equal(Number(lines[1].split(',')[4]), least);
    await until(`document.querySelectorAll('#what-if-answers tr').length > 0`);
    const prediction = JSON.parse(scalelaw('predict', input, '--where', 'model=m2999', '--at', '64', '--format', 'json')).forecasts[0].predictions[0];
    await agrees(page, ['m2999'], 64, prediction);
    isQuiet(page);
  });

  await check('without scripts the tables are there all the same', async () => {
    const page = await browser.open('about:blank');
    await page.send('Emulation.setScriptExecutionDisabled', { value: true });
    const loaded = page.until('Page.loadEventFired');
    await page.send('Page.navigate', { url: 'file://' + path });
    await loaded;
    const { root } = await page.send('DOM.getDocument', { depth: -1 });
    const { nodeIds } = await page.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: '#law-table tbody tr' });
    assert.equal(nodeIds.length, 16);
    const box = async (selector) => {
      const { nodeId } = await page.send('DOM.querySelector', { nodeId: root.nodeId, selector });
      return page.send('DOM.getBoxModel', { nodeId }).then(({ model }) => model.width, () => 0);
    };
    assert.ok(await box('#figure-answer svg') > 400, 'the drawn figure stands in the place of the chart');
    assert.equal(await box('#chart'), 0);
    assert.ok(await box('#laws summary') > 400);
  });
});
