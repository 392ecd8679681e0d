// The chart of the HTML report answers as `scalelaw predict` does, to pointers, keys and links.
import assert from 'node:assert/strict';
import { check, demo, isQuiet, key, main, open, pause, reportOn, said, scalelaw, set, study } from './report_page.mjs';

await main(async () => {
  await check('the chart says what predict says, digit for digit', async () => {
    const page = await open({ width: 1280 });
    const rows = scalelaw('predict', demo, '--at', '3,128,424,1000,3000', '--format', 'markdown').split('\n')
      .filter((line) => /^\| [A-Z]/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
    assert.equal(rows.length, 80);
    for (const [model, cap, clock, gpus, median, mean, run, speedup, efficiency, hours, kwh] of rows) {
      for (const [i, value] of [model, cap, clock].entries()) await set(page, 'what-if-by-' + i, value);
      await set(page, 'what-if-x', gpus);
      const name = [model, cap, clock, gpus].join(' ');
      const cells = await page.value(`Object.fromEntries(Array.from(document.querySelectorAll('#what-if-answers tr'), (row) => [row.cells[0].textContent, Array.from(row.cells, (cell) => cell.textContent).slice(1)]))`);
      assert.deepEqual(cells.epoch_seconds, [median, mean, run], name);
      assert.deepEqual([cells['speedup over 2 GPUs'][0], cells.efficiency[0], cells['GPU-hours'][0], cells.kWh[0]], [speedup, efficiency, hours, kwh], name);
      assert.ok((await said(page)).includes(`${model}, ${cap} W, ${clock} MHz at ${gpus} GPUs: an epoch takes ${median} s (95 % of new runs: ${run}), ${hours} GPU-hours, ${kwh} kWh; efficiency ${efficiency}.`), await said(page));
    }
    isQuiet(page);
  });

  await check('deadlines and budgets have the answers of predict', async () => {
    const page = await open({ width: 1280 });
    const conditions = ['--where', 'power_cap_w=250', '--where', 'clock_mhz=1380'];
    for (const [text, seconds, hours] of [['60', 60, 5], ['5 min', 300, 20], ['1h', 3600, 100], ['0.5', 0.5, 0.01]]) {
      await set(page, 'chart-limit-deadline', text);
      await set(page, 'chart-limit-budget', hours);
      const found = JSON.parse(scalelaw('predict', demo, ...conditions, '--deadline', String(seconds), '--budget-gpu-hours', String(hours), '--format', 'json')).forecasts;
      for (const forecast of found) {
        for (const [i, value] of Object.values(forecast.group).entries()) await set(page, 'what-if-by-' + i, value);
        const lines = await said(page);
        const within = lines.match(/ within [0-9.]+ s: (.*?\.)(?= The | That | On | With |$)/m)[1];
        const { median, lower, upper } = forecast.deadline;
        const name = Object.values(forecast.group).join(' ') + ' ' + text;
        const last = 4 * JSON.parse(scalelaw('predict', demo, ...conditions, ...Object.entries(forecast.group).flatMap(([key, value]) => ['--where', key + '=' + value]), '--at', '2', '--format', 'json')).forecasts[0].x_max;
        if (median === null || median > last) assert.equal(within, `none up to ${last} (4 times the data).`, name);
        else assert.equal(within, `${median} GPU${median === 1 ? "" : "s"} (${lower === null || lower === median ? '' : lower + ' may do, '}${upper === null
          ? (lower === null || lower === median ? '' : 'but ') + 'no number is safe' : upper + (upper === 1 ? ' is' : ' are') + ' safe'}, by the 95 % interval of new runs).`, name);
        if (median !== null && median <= 424) {
          const [{ predictions: [there] }] = JSON.parse(scalelaw('predict', demo, ...conditions, ...Object.entries(forecast.group).flatMap(([key, value]) => ['--where', key + '=' + value]), '--at', String(median), '--energy', 'energy_per_epoch_j', '--format', 'json')).forecasts;
          const told = Number(lines.match(/ On \d+ GPUs? that takes ([0-9.]+) kWh; efficiency/)[1]);
          assert.ok(Math.abs(told / there.kwh.median - 1) < 1e-3, name + ': ' + told);
        }
        const budget = lines.match(/ GPU-hours?: (.*)/)[1];
        const limit = forecast.budget_gpu_hours.median;
        if (forecast.budget_gpu_hours.median_open) assert.match(budget, /^any number of GPUs/, name);
        else assert.ok(limit === null ? budget === 'no number of GPUs.' : budget.startsWith(`up to ${limit} GPU${limit === 1 ? '' : 's'} `), name + ': ' + budget + ' ' + limit);
      }
    }
    await set(page, 'chart-limit-deadline', '1:30:00');
    assert.match(await said(page), / within 5400 s: /);
    await set(page, 'chart-limit-deadline', 'soon');
    assert.equal(await page.value(`document.getElementById('chart-limit-deadline').getAttribute('aria-invalid')`), 'true');
    assert.match(await said(page), /“soon” is no deadline: write a number above 0/);
    isQuiet(page);
  });

  await check('a report with a deadline and a budget answers them in its first table, as predict does', async () => {
    const path = reportOn(demo, 'deadline.html', '--deadline', '1 min', '--budget-gpu-hours', '10');
    const page = await open({ path, width: 1280 });
    const headers = await page.value(`Array.from(document.querySelectorAll('#advice-table th'), (cell) => cell.textContent)`);
    const rows = await page.value(`Array.from(document.querySelectorAll('#advice-table tbody tr'), (row) => Array.from(row.cells, (cell) => cell.textContent))`);
    const found = JSON.parse(scalelaw('predict', demo, '--deadline', '60', '--budget-gpu-hours', '10', '--format', 'json')).forecasts;
    const text = ({ median, median_open, lower, upper }) => (median_open ? undefined : median === null ? 'none' : upper === null ? `${median} (${lower} may do, none is safe)` : `${median} (${[lower, upper].sort((a, b) => (a ?? Infinity) - (b ?? Infinity)).map((end) => end ?? 'none').join(' .. ')})`);
    assert.equal(rows.length, 6);
    for (const row of rows) {
      const cap = row[headers.indexOf('setting')].replace('(', '').split(' ')[0];
      const forecast = found.find(({ group }) => group.model === row[0] && group.power_cap_w === cap && group.clock_mhz === '1380');
      assert.equal(row[headers.indexOf('GPUs for 60 s')], text(forecast.deadline), row[0]);
      const within = row[headers.indexOf('GPUs within 10 GPU-hours')];
      const limit = text(forecast.budget_gpu_hours);
      if (limit === undefined) assert.match(within, /^no limit/, row[0]);
      else assert.equal(within, limit, row[0]);
    }
    assert.match(await page.value(`document.querySelector('#answer ul').textContent`), /To bring an epoch below 60 s takes 216 GPUs for DimeNet \(251 are safe\), /);
    assert.match(await said(page), /BERT, 250 W, 1380 MHz within 60 s: 823 GPUs /);
    assert.match(await said(page), /^An epoch of BERT, 250 W, 1380 MHz within 10 GPU-hours: up to 59 GPUs /m);
    isQuiet(page);
  });

  await check('an empty or impossible number leaves the page alive', async () => {
    const page = await open({ width: 1280 });
    for (const text of ['', '4', '0', '1e300', '1e-300', '424']) {
      await set(page, 'what-if-x', text);
      await pause(100);
    }
    assert.match(await said(page), / at 424 GPUs: an epoch takes 107\.5 s/);
    for (const text of ['3.5', '1000000000']) {
      await set(page, 'what-if-x', text);
      assert.equal(await page.value(`document.getElementById('what-if-note').textContent`), 'Choose a whole number from 1 to 424000.');
    }
    await set(page, 'what-if-x', '1');
    assert.match(await said(page), / at 1 GPU: /);
    await set(page, 'what-if-pue', '0.5');
    assert.match(await page.value(`document.getElementById('what-if-note').textContent`), /“0.5” is no PUE, which is from 1 to 3: 1 is taken/);
    assert.equal(await page.value(`document.querySelectorAll('#chart-deadline').length`), 0, 'nobody gave a deadline');
    isQuiet(page);
  });

  await check('answers beyond the data say so, and a second group is compared', async () => {
    const page = await open({ width: 1280 });
    await set(page, 'chart-limit-deadline', '60');
    assert.match(await said(page), /823 GPUs \(693 may do, 983 are safe, by the 95 % interval of new runs\)\. The data end at 424\./);
    await set(page, 'chart-limit-deadline', '35');
    assert.match(await said(page), /GPUs \(\d+ may do, \d+ are safe, .*\)\. That is far beyond the data/);
    // One rule for all: beyond four times the data no group has a number.
    await set(page, 'chart-limit-deadline', '1');
    assert.match(await said(page), /^An epoch of BERT, 250 W, 1380 MHz within 1 s: none up to 1696 \(4 times the data\)\.$/m);
    assert.match(await said(page), /100 W: none up to 1696 \(4 times the data\)/);
    await set(page, 'chart-limit-deadline', '20000');
    assert.match(await said(page), /: 2 GPUs \(1 may do, .*\)\. The data begin at 2\. On 2 GPUs /);
    await set(page, 'chart-limit-deadline', '60');
    await set(page, 'chart-limit-budget', '1000');
    assert.match(await said(page), /1000 GPU-hours: any number of GPUs \(safe\), as far as the laws tell\./);
    await set(page, 'chart-limit-budget', '13');
    const told = scalelaw('predict', demo, '--where', 'model=BERT', '--where', 'power_cap_w=250', '--budget-gpu-hours', '13').replaceAll(/\s+/g, ' ');
    const [, most, may, safe] = told.match(/on up to (\d+) GPUs, with even odds or better\. By .*? of new runs, (.*?) may be possible, and (.*?) are safe\./);
    assert.ok((await said(page)).includes(`BERT, 250 W, 1380 MHz within 13 GPU-hours: up to ${most} GPUs (${may} may be possible, ${safe} are safe). The data end at 424.`), await said(page));
    assert.doesNotMatch(await said(page), /The search ends there/);
    assert.deepEqual(await page.value(`Array.from(document.getElementById('chart-with').options).filter((one) => one.disabled).map((one) => one.textContent)`), ['BERT, 250 W, 1380 MHz']);
    await set(page, 'chart-with', 1);
    assert.match(await said(page), /By the curves, which take the runs at all scales, that is [0-9.]+ % (less|more) time and [0-9.]+ % (less|more) kWh than the first\. The means of the runs at 424 GPUs alone: 21 % more time and 1\.5 % more kWh\. Curves and runs disagree on which takes less kWh, so neither is shown\./);
    assert.match(await said(page), /that is 13 % more time and 5\.2 % less kWh than the first/);
    isQuiet(page);
  });

  await check('a deadline is answered with the other settings of the group, and with both limits together', async () => {
    const page = await open({ width: 1280 });
    await set(page, 'chart-limit-deadline', '60');
    const predicted = (cap) => JSON.parse(scalelaw('predict', demo, '--where', 'model=BERT', '--where', 'power_cap_w=' + cap, '--deadline', '60', '--format', 'json')).forecasts[0];
    const text = await said(page);
    const kwh = {};
    for (const [cap, change] of [[100, /46 % less/], [200, /0\.07 % less/]]) {
      const { median, upper } = predicted(cap).deadline;
      const found = text.match(new RegExp(cap + ' W: ' + median + ' GPUs \\(' + upper + ' safe, beyond the data\\), ([0-9.]+) kWh, which is ([^;]*?)[;.]( |$)', 'm'));
      assert.ok(found, cap + ': ' + text);
      assert.match(found[2] + '.', change);
      kwh[cap] = Number(found[1]);
      const [{ predictions: [there] }] = JSON.parse(scalelaw('predict', demo, '--where', 'model=BERT', '--where', 'power_cap_w=' + cap, '--at', String(median), '--energy', 'energy_per_epoch_j', '--format', 'json')).forecasts;
      assert.ok(Math.abs(kwh[cap] / there.kwh.median - 1) < 1e-3, String(kwh[cap]));
    }
    assert.match(text, /With other settings: 100 W: .*; 200 W: /);  // The least energy first.
    await set(page, 'chart-limit-budget', '15');
    const both = JSON.parse(scalelaw('predict', demo, '--where', 'model=BERT', '--where', 'power_cap_w=250', '--deadline', '60', '--budget-gpu-hours', '15', '--format', 'json')).forecasts[0];
    assert.ok(both.deadline.upper > both.budget_gpu_hours.lower);
    assert.ok((await said(page)).includes(`Both together: from ${both.deadline.median} to ${both.budget_gpu_hours.median} GPUs by the median, but no number is safe for both.`), await said(page));
    await set(page, 'chart-limit-budget', '10');
    assert.match(await said(page), /Both together: no number of GPUs meets them\./);
    isQuiet(page);
  });

  await check('a report with a deadline names settings that take less energy', async () => {
    const file = reportOn(demo, 'frugal.html', '--deadline', '60');
    const page = await open({ path: file, width: 1280 });
    assert.match(await page.value(`document.querySelector('#answer').innerText`), /With other settings that takes less energy: BERT with 100 W on 1075 GPUs \(1231 are safe, beyond the data\), 46 % less/);
  });

  await check('the questions come first, by keyboard too, and their answers do not move their fields', async () => {
    const page = await open({ width: 1280 });
    assert.equal(await page.value(`document.querySelector('#answer input, #answer select, #answer button').id`), 'chart-limit-deadline');
    assert.equal(await page.value(`document.getElementById('chart-limit-deadline').labels[0].innerText.trim()`), 'Finish an epoch within  s');
    const place = `document.getElementById('chart-limit-deadline').getBoundingClientRect().top`;
    const before = await page.value(place);
    assert.ok(before < 500, String(before));
    await page.value(`document.getElementById('chart-limit-deadline').focus()`);
    for (const digit of '60') await page.send('Input.dispatchKeyEvent', { type: 'char', text: digit });
    assert.match(await said(page), /^An epoch of BERT, 250 W, 1380 MHz within 60 s: 823 GPUs /);
    assert.equal(await page.value(place), before);
    await pause(400);
    assert.match(await page.value('location.hash'), /deadline=60/);
    isQuiet(page);
  });

  await check('a legend keeps the focus, so that a second key shows all again', async () => {
    const page = await open({ width: 1280 });
    await page.value(`document.querySelectorAll('#chart .legend button')[2].focus()`);
    for (const groups of [1, 6]) {
      await page.value('document.activeElement.click()');
      assert.equal(await page.value(`document.querySelectorAll('#chart .frame [data-group]').length`), groups);
    }
  });

  await check('great ratios have no exponents, and ticks of one axis are of one kind', async () => {
    const page = await open({ width: 1280 });
    const groups = await page.value(`Array.from(document.getElementById('chart-with').options, (one) => one.textContent)`);
    await set(page, 'what-if-x', 2);
    await set(page, 'chart-with', groups.indexOf('DimeNet, 250 W, 135 MHz') - 1);
    assert.match(await said(page), /that is \d+ % more time and/);
    assert.doesNotMatch(await said(page), /e\+/);
    const ticks = await page.value(`Array.from(document.querySelectorAll('#chart .frame text'), (text) => text.textContent)`);
    assert.ok(ticks.includes('10k') && ticks.includes('1k') && !ticks.includes('1000'), ticks.join(' '));
  });

  await check('the address keeps PUE, grid and price, and the chart names another PUE', async () => {
    const page = await open({ width: 1280 });
    assert.doesNotMatch(await said(page), /PUE/);
    for (const [name, value] of [['pue', 1.5], ['carbon', 381], ['price', 0.3]]) await set(page, 'what-if-' + name, value);
    assert.match(await said(page), /3\.52[0-9] kWh at a PUE of 1\.5/);
    await pause(400);
    const hash = await page.value('location.hash');
    assert.match(hash, /pue=1\.5&carbon=381&price=0\.3/);
    const again = await open({ width: 1280, hash });
    assert.equal(await again.value(`document.getElementById('what-if-answers').innerText`), await page.value(`document.getElementById('what-if-answers').innerText`));
  });

  await check('groups that the chart leaves out are counted', async () => {
    const rows = [['model', 'gpus', 'epoch_seconds']];
    for (let model = 0; model < 11; ++model) for (const n of [1, 2, 4, 8, 16]) rows.push(['m' + model, n, (1000 + 10 * model) / n ** 0.9 * (1 + 0.01 * ((n + model) % 3))]);
    const page = await open({ path: reportOn(study('eleven.csv', rows), 'eleven.html'), width: 1280 });
    assert.match(await said(page), /3 more groups are not drawn/);
    isQuiet(page);
  });

  await check('the scale of the chart is dragged, and moved by keys that a screen reader follows', async () => {
    const page = await open({ width: 1280 });
    const handle = (name) => page.value(`document.getElementById('chart-handle').getAttribute('${name}')`);
    assert.equal(await handle('role'), 'slider');
    assert.equal(await handle('aria-valuenow'), '424');
    assert.match(await handle('aria-valuetext'), /^424 GPUs: 107\.5 s$/);
    await key(page, 'ArrowRight');
    assert.equal(await handle('aria-valuenow'), '425');
    await key(page, 'PageDown');
    assert.equal(await handle('aria-valuenow'), '213');
    await key(page, 'Home');
    assert.equal(await handle('aria-valuenow'), '2');
    assert.equal(await handle('aria-valuemin'), '2');
    await key(page, 'PageDown');
    assert.equal(await handle('aria-valuenow'), '2');
    await key(page, 'End');
    assert.equal(await handle('aria-valuenow'), '3392');
    assert.equal(await handle('aria-valuemax'), '3392');
    const [x, y] = await page.value(`(() => { const b = document.querySelector('#chart svg').getBoundingClientRect(); return [b.left + b.width * 0.6, b.top + b.height / 2]; })()`);
    await page.send('Input.dispatchMouseEvent', { type: 'mousePressed', x: x - 150, y, button: 'left', clickCount: 1 });
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y, button: 'left', buttons: 1 });
    await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, button: 'left' });
    const dragged = Number(await handle('aria-valuenow'));
    assert.ok(dragged > 50 && dragged < 1000, String(dragged));
    assert.ok((await said(page)).includes(` at ${dragged} GPUs: `));
    assert.equal(await page.value(`document.getElementById('what-if-x').value`), String(dragged));
    assert.equal(await page.value(`document.activeElement.id`), 'chart-handle');
    isQuiet(page);
  });

  await check('an address that asks for what the page does not have says so, and is mended', async () => {
    const page = await open({ width: 1280, hash: '#group=Foo&group=250&group=1380&n=abc' });
    const text = await said(page);
    assert.match(text, /The address asks for “Foo, 250, 1380”, which this page does not have: it shows BERT, 250 W, 1380 MHz at 424 GPUs\./);
    assert.match(text, /The address asks for “n abc”/);
    assert.match(await page.value('location.hash'), /^#group=BERT&group=250&group=1380&n=424/);
    await key(page, 'ArrowRight');
    assert.doesNotMatch(await said(page), /does not have/);
    isQuiet(page);
  });

  await check('the chart has points, curve and both bands, a second group, a legend that isolates, and other axes', async () => {
    const page = await open({ width: 1280 });
    const count = (selector) => page.value(`document.querySelectorAll('#chart ${selector}').length`);
    assert.deepEqual([await count('.frame [data-group]'), await count('.band.run'), await count('.band.curve'), await count('.chosen .mark')], [6, 1, 1, 9]);
    // A mark is the same, chosen or not.
    const fills = await page.value(`Array.from(document.querySelectorAll('#chart .frame [data-group] .mark:not(.open)'), (mark) => getComputedStyle(mark).fill === getComputedStyle(mark.parentNode).color)`);
    assert.ok(fills.length > 9 && fills.every((one) => one));
    await set(page, 'chart-with', 4);
    assert.deepEqual([await count('.frame [data-group]'), await count('.band.run'), await count('.chosen .mark')], [7, 2, 18]);
    assert.match(await said(page), /DimeNet, 200 W, 1380 MHz at 424 GPUs: /);
    await page.value(`document.querySelectorAll('#chart .legend button')[3].click()`);
    assert.equal(await count('.frame [data-group]'), 2);
    assert.equal(await page.value(`document.querySelectorAll('#chart .legend button')[3].getAttribute('aria-pressed')`), 'true');
    await page.value(`document.querySelectorAll('#chart .legend button')[3].click()`);
    assert.equal(await count('.frame [data-group]'), 7);
    const ticks = `Array.from(document.querySelectorAll('#chart .frame text'), (text) => text.textContent).join(' ')`;
    const before = await page.value(ticks);
    await set(page, 'chart-limit-deadline', '60');
    for (const id of ['chart-logX', 'chart-logY']) await page.value(`document.getElementById('${id}').click()`);
    assert.notEqual(await page.value(ticks), before);
    assert.match(await page.value(ticks), /(^| )0 /);
    assert.equal(await page.value(`document.querySelectorAll('#chart-deadline').length`), 1);
    isQuiet(page);
  });

  await check('the address keeps what was asked, and a link asks it again', async () => {
    const page = await open({ width: 1280 });
    await page.value(`Array.from(document.querySelectorAll('#advice-table button.choose')).find((one) => one.textContent === 'ResNet50').click()`);
    await set(page, 'what-if-x', 300);
    await set(page, 'chart-limit-budget', '7');
    await set(page, 'chart-with', 0);
    await page.value(`document.getElementById('chart-logY').click()`);
    await pause(400);
    const hash = await page.value('location.hash');
    assert.match(hash, /group=ResNet50.*n=300.*budget=7.*y=linear/);
    const again = await open({ width: 1280, hash });
    assert.equal(await said(again), await said(page));
    assert.match(await said(again), /ResNet50, 250 W, 1380 MHz at 300 GPUs/);
    assert.equal(await again.value(`document.getElementById('chart-logY').checked`), false);
    isQuiet(again);
  });
});
