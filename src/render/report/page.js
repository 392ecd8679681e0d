'use strict';
// Sorting, paging and copying of tables, values of points, and the what-if panel. Texts of the study enter the page as
// text nodes only.
(() => {
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, attributes) => {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    return element;
  };
  const say = (text) => { byId('said').textContent = text; };

  // Data that stands in the page: JSON, or much of it gzipped as base64.
  const dataOf = async (element) => {
    if (element.type === 'application/json') return JSON.parse(element.textContent);
    const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
  };

  // Tables. A row is a list of [text, number or null]. Long tables have their first page as rows, and all of them as data,
  // by columns: [texts, numbers or null].

  const PAGE_ROWS = 50;

  const rowsOf = async (table) => {
    const data = byId(table.id + '-rows');
    if (!data) {
      return Array.from(table.tBodies[0].rows, (row) => Array.from(row.cells, (cell) =>
        [cell.textContent, cell.dataset.v === undefined ? null : Number(cell.dataset.v)]));
    }
    const columns = await dataOf(data);
    return columns[0][0].map((_, i) => columns.map(([texts, numbers]) => [texts[i], numbers && numbers[i]]));
  };

  // Numbers before words, what is missing last whatever the direction.
  const compareCells = (a, b, direction) => {
    const missing = (cell) => cell[1] === null && (cell[0] === '-' || cell[0] === '');
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    if (a[1] !== null && b[1] !== null) return direction * (a[1] - b[1]);
    if ((a[1] === null) !== (b[1] === null)) return direction * (a[1] === null ? 1 : -1);
    return direction * (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0);
  };

  const csvCell = (text) => (/[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
  const csvOf = (headers, rows) => [headers].concat(rows.map((row) => row.map((cell) =>
    cell[1] !== null ? String(cell[1]) : cell[0] === '-' ? '' : cell[0])))
    .map((row) => row.map(csvCell).join(',')).join('\n') + '\n';

  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {  // A page that was opened as a file may not have a clipboard.
      const area = make('textarea', text, { class: 'unseen' });
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      return done;
    }
  };

  const setUpTable = (table) => {
    const headerCells = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
    const headers = headerCells.map((cell) => cell.textContent);
    const classes = headerCells.map((cell) => cell.dataset.cells || '');
    const data = byId(table.id + '-rows');
    const paged = data !== null;
    let rows = null;
    const state = { order: null, kept: null, page: 0 };
    // Rows are read when they are first asked for: long tables take a while.
    const whenRead = (act) => async () => {
      try {
        rows = rows || await (state.reading = state.reading || rowsOf(table));
      } catch (error) {
        say('This browser cannot read the rows');
        return;
      }
      state.order = state.order || rows.map((_, i) => i);
      act();
    };
    const shown = () => (state.kept === null ? state.order : state.order.filter((i) => state.kept.has(i)));

    const draw = () => {
      const all = shown();
      const begin = paged ? state.page * PAGE_ROWS : 0;
      const list = paged ? all.slice(begin, begin + PAGE_ROWS) : all;
      const body = document.createElement('tbody');
      for (const i of list) {
        const row = body.insertRow();
        rows[i].forEach((cell, column) => {
          const td = row.insertCell();
          td.textContent = cell[0];
          if (classes[column]) td.className = classes[column];
          if (cell[1] !== null) td.dataset.v = cell[1];
        });
      }
      table.tBodies[0].replaceWith(body);
      if (paged) tellPlace(all.length);
    };
    const tellPlace = (count) => {
      const begin = state.page * PAGE_ROWS;
      where.textContent = count === 0 ? 'no row'
        : (begin + 1) + ' to ' + Math.min(begin + PAGE_ROWS, count) + ' of ' + count;
      previous.disabled = state.page === 0;
      next.disabled = begin + PAGE_ROWS >= count;
    };

    if (table.dataset.fixed === undefined) headerCells.forEach((cell, column) => {
      const button = make('button', headers[column], { type: 'button' });
      cell.textContent = '';
      cell.append(button);
      button.addEventListener('click', whenRead(() => {
        const up = cell.getAttribute('aria-sort') !== 'ascending';
        for (const other of headerCells) other.removeAttribute('aria-sort');
        cell.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const direction = up ? 1 : -1;
        state.order = rows.map((_, i) => i)
          .sort((a, b) => compareCells(rows[a][column], rows[b][column], direction) || a - b);
        state.page = 0;
        draw();
        say('Sorted by ' + headers[column] + (up ? ', ascending' : ', descending'));
      }));
    });

    const tools = make('div', null, { class: 'tools' });
    const copy = make('button', 'Copy as CSV', { type: 'button', class: 'tool' });
    copy.addEventListener('click', whenRead(async () => {
      const text = csvOf(headers, shown().map((i) => rows[i]));
      const done = await copyText(text);
      copy.textContent = done ? 'Copied' : 'Not allowed here';
      say(done ? shown().length + ' rows copied' : 'The browser does not allow copying');
      setTimeout(() => { copy.textContent = 'Copy as CSV'; }, 2000);
    }));
    tools.append(copy);
    let previous = null;
    let next = null;
    let where = null;
    if (paged) {
      const search = make('input', null, { type: 'search' });
      const label = make('label', 'Rows with');
      label.append(search);
      search.addEventListener('input', whenRead(() => {
        const word = search.value.toLowerCase();
        state.kept = word === '' ? null : new Set(rows.map((_, i) => i)
          .filter((i) => rows[i].some((cell) => cell[0].toLowerCase().includes(word))));
        state.page = 0;
        draw();
      }));
      previous = make('button', 'Previous', { type: 'button', class: 'tool' });
      next = make('button', 'Next', { type: 'button', class: 'tool' });
      where = make('span', '', { 'aria-live': 'polite' });
      previous.addEventListener('click', whenRead(() => { state.page -= 1; draw(); }));
      next.addEventListener('click', whenRead(() => { state.page += 1; draw(); }));
      tools.append(label, previous, next, where);
    }
    table.closest('.table').append(tools);
    if (paged) tellPlace(Number(data.dataset.rows));
  };

  // Points of figures: their values beside the pointer, and as a list for those without one.

  const setUpFigure = (figure) => {
    const tip = byId('tip');
    const notes = Array.from(figure.querySelectorAll('.point'));
    if (notes.length === 0) return;
    for (const point of notes) {
      const title = point.querySelector('title');
      point.dataset.note = title.textContent;
      title.remove();  // The browser's own would come a second time.
      point.addEventListener('pointerenter', (event) => {
        tip.textContent = point.dataset.note;
        tip.hidden = false;
        const width = tip.offsetWidth;
        tip.style.left = Math.max(4, Math.min(event.clientX + 12, window.innerWidth - width - 4)) + 'px';
        tip.style.top = Math.max(4, event.clientY - tip.offsetHeight - 10) + 'px';
      });
      point.addEventListener('pointerleave', () => { tip.hidden = true; });
    }
    const details = make('details');
    details.append(make('summary', 'The ' + notes.length + ' values of this figure'));
    details.addEventListener('toggle', () => {
      if (details.querySelector('ul')) return;
      const list = document.createElement('ul');
      for (const point of notes) list.append(make('li', point.dataset.note));
      details.append(list);
    });
    figure.append(details);
  };

  // Student's t, by the continued fraction of the incomplete beta function (Numerical Recipes, 6.4).

  const logGamma = (z) => {  // Lanczos, g = 7.
    const c = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
      -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
    if (z < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * z)) - logGamma(1 - z);
    let sum = c[0];
    for (let i = 1; i < 9; ++i) sum += c[i] / (z - 1 + i);
    const t = z + 6.5;
    return 0.5 * Math.log(2 * Math.PI) + (z - 0.5) * Math.log(t) - t + Math.log(sum);
  };

  // ln B(a, 1/2); for large a by its series, because differences of large logarithms lose digits.
  const logBetaHalf = (a) => (a < 200 ? logGamma(a) + 0.5 * Math.log(Math.PI) - logGamma(a + 0.5)
    : 0.5 * Math.log(Math.PI) - 0.5 * Math.log(a) + 1 / (8 * a) - 1 / (192 * a * a * a));

  const betaFraction = (a, b, x) => {
    const tiny = 1e-300;
    let c = 1;
    let d = 1 - (a + b) * x / (a + 1);
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    let h = d;
    for (let m = 1; m <= 20000; ++m) {
      for (const n of [m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))]) {
        d = 1 + n * d;
        c = 1 + n / c;
        if (Math.abs(d) < tiny) d = tiny;
        if (Math.abs(c) < tiny) c = tiny;
        d = 1 / d;
        h *= d * c;
      }
      if (Math.abs(d * c - 1) < 1e-15) break;
    }
    return h;
  };

  // P(|T| > t).
  const studentTails = (t, dof) => {
    const a = dof / 2;
    const x = dof / (dof + t * t);
    const front = Math.exp(a * Math.log(x) + 0.5 * Math.log1p(-x) - logBetaHalf(a));
    return x < (a + 1) / (a + 2.5) ? front * betaFraction(a, 0.5, x) / a
      : 1 - front * betaFraction(0.5, a, 1 - x) / 0.5;
  };

  // P(T < t).
  const studentCdf = (t, dof) => {
    const half = 0.5 * studentTails(Math.abs(t), dof);
    return t > 0 ? 1 - half : half;
  };

  // Forecasts: the formulas of `scalelaw predict` (docs/explanation/forecasts.md). z = ln(x / x_max).

  const logShape = (law, a, b, z) => {
    switch (law) {
      case 'power': return -a * z;
      case 'lognormal': return (b * z - a) * z;
      case 'floor': return Math.log(Math.exp(-a * z) + Math.exp(b));
      case 'amdahl': return Math.log(Math.exp(-z) + Math.exp(b));
      default: return Math.log(Math.exp(-z) + Math.exp(a) + Math.exp(b + z));
    }
  };

  // Centre, weight and scale of ln time under each part of a mixture, for one new run.
  const logTimes = (f, x) => f.parts.map((part) => {
    const [number, weight, a, b, level, scale, dof, mass, own, shared, mean, spread] = part;
    const law = ['power', 'lognormal', 'floor', 'amdahl', 'usl'][number];
    const z = Math.log(x / f.to);
    const shape = logShape(law, a, b, z);
    let leverage = 1 / mass + own + shared;
    if (spread > 0) {
      const slope = law === 'usl' ? Math.exp(a - shape) : -z * (law === 'floor' ? 1 - Math.exp(b - shape) : 1);
      leverage += (slope - mean) * (slope - mean) / spread;
    }
    return { weight, dof, centre: level + shape, scale: scale * Math.sqrt(leverage) };
  });

  const quantile = (times, probability) => {
    let low = Math.min(...times.map((part) => part.centre - part.scale));
    let high = Math.max(...times.map((part) => part.centre + part.scale));
    const below = (at) => times.reduce((sum, part) =>
      sum + part.weight * studentCdf((at - part.centre) / part.scale, part.dof), 0) < probability;
    for (let step = high - low; !below(low); step *= 2) low -= step;
    for (let step = high - low; below(high); step *= 2) high += step;
    for (let i = 0; i < 60; ++i) {
      const middle = 0.5 * (low + high);
      if (below(middle)) low = middle; else high = middle;
    }
    return 0.5 * (low + high);
  };

  const predict = (f, x, study) => {
    const mixed = f.parts.length > 0;
    const times = mixed ? logTimes(f, x) : null;
    const sign = f.rate ? -1 : 1;
    const log = mixed ? quantile(times, 0.5) : sign * Math.log(f.power[0]) - f.power[1] * Math.log(x);
    if (!Number.isFinite(log)) return null;
    const out = { median: Math.exp(sign * log), mean: null, lower: null, upper: null };
    if (f.smearing !== null) out.mean = out.median * f.smearing;
    out.speedup = Math.exp(f.first - log);
    out.efficiency = out.speedup / (x / f.from);
    out.beyond = x > f.to || x < f.from;
    if (!mixed) return out;
    const tail = 0.5 * (1 - study.confidence);
    const ends = [tail, 1 - tail].map((p) => Math.exp(sign * quantile(times, p)));
    if (ends.every(Number.isFinite)) [out.lower, out.upper] = [Math.min(...ends), Math.max(...ends)];
    return out;
  };

  const scaled = (p, factor) => {
    const times = (value) => (value === null ? null : value * factor);
    return { median: times(p.median), mean: times(p.mean), lower: times(p.lower), upper: times(p.upper) };
  };

  // The panel.

  const numberText = (value) => {
    if (value === null || !Number.isFinite(value)) return '-';
    if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-5)) return value.toExponential(3);
    const size = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
    return value.toFixed(Math.max(0, 3 - size));
  };

  const setUpWhatIf = async (form) => {
    const study = await dataOf(byId('what-if-data'));
    const holder = byId('what-if-group');
    const input = { x: byId('what-if-x'), slide: byId('what-if-slide'), pue: byId('what-if-pue'), grid: byId('what-if-grid'),
      carbon: byId('what-if-carbon'), price: byId('what-if-price') };
    byId('what-if-x-label').textContent = study.x;
    byId('what-if-share').textContent = Number((100 * study.confidence).toPrecision(6)) + ' % of new runs';
    for (const [name, grams] of study.grids) input.grid.append(make('option', name + ', ' + grams + ' g', { value: grams }));
    input.pue.value = study.pue;
    if (study.carbon_intensity !== null) input.carbon.value = study.carbon_intensity;
    if (study.price !== null) input.price.value = study.price;
    if (!study.groups.some((group) => group.energy)) byId('what-if-footprint').hidden = true;

    const selects = study.by.map((name, i) => {
      const field = make('div', null, { class: 'field' });
      const select = make('select', null, { id: 'what-if-by-' + i });
      field.append(make('label', name, { for: select.id }), select);
      holder.append(field);
      return select;
    });

    // Choices of a column are those that go with the columns before it.
    const fill = (column) => {
      if (column === selects.length) return;
      const chosen = selects.slice(0, column).map((select) => select.value);
      const values = new Set(study.groups.filter((group) => chosen.every((value, i) => group.group[i] === value))
        .map((group) => group.group[column]));
      const before = selects[column].value;
      selects[column].replaceChildren(...Array.from(values, (value) => make('option', value, { value })));
      if (values.has(before)) selects[column].value = before;
      else selects[column].selectedIndex = Array.from(values).every((value) => Number(value) > 0)
        ? values.size - 1 : 0;  // The greatest of a setting.
      fill(column + 1);
    };
    const chosenGroup = () => study.groups.find((group) => selects.every((select, i) => group.group[i] === select.value));

    const addRow = (body, name, p, beyond) => {
      const row = body.insertRow();
      if (beyond) row.className = 'beyond';
      row.dataset.figure = name;
      row.insertCell().textContent = name;
      for (const value of [p.median, p.mean]) {
        const cell = row.insertCell();
        cell.className = 'right';
        cell.textContent = value === undefined ? '' : numberText(value);
        if (value !== undefined && value !== null) cell.dataset.value = value;
      }
      const cell = row.insertCell();
      cell.className = 'right';
      if (p.lower === undefined) return;
      cell.textContent = p.lower === null ? '-' : numberText(p.lower) + ' .. ' + numberText(p.upper);
      if (p.lower !== null) { cell.dataset.lower = p.lower; cell.dataset.upper = p.upper; }
    };

    const noteOn = (f, x) => {
      if (x > 4 * f.to) return 'Far beyond the data, which end at ' + f.to + ': the answer rests on the laws alone.';
      if (x > f.to) return 'Beyond the data, which end at ' + f.to + '.';
      if (x < f.from) return 'Below the data, which begin at ' + f.from + '.';
      return 'Inside the measured range, ' + f.from + ' to ' + f.to + '.';
    };

    const answer = () => {
      const body = document.createElement('tbody');
      body.id = 'what-if-answers';
      const group = chosenGroup();
      const x = Number(input.x.value);
      let note = 'Choose a number above 0.';
      if (group && x > 0) {
        const p = predict(group.time, x, study);
        if (p !== null) {
          note = noteOn(group.time, x);
          addRow(body, study.y, p, p.beyond);
          addRow(body, 'speedup over ' + group.time.from, { median: p.speedup }, p.beyond);
          addRow(body, 'efficiency', { median: p.efficiency }, p.beyond);
          if (study.hours_per_unit !== null) addRow(body, 'GPU-hours', scaled(p, x * study.hours_per_unit), p.beyond);
        } else {
          note = 'The law has no value there.';
        }
        const joules = group.energy ? predict(group.energy, x, study) : null;
        if (joules !== null) {
          const pue = input.pue.value === '' ? 1 : Number(input.pue.value);
          const kwh = scaled(joules, group.joules * (group.per_x ? x : 1) * pue / 3.6e6);
          addRow(body, 'kWh', kwh, p && p.beyond);
          if (input.carbon.value !== '') addRow(body, 'kg CO2', scaled(kwh, Number(input.carbon.value) / 1000), p && p.beyond);
          if (input.price.value !== '') addRow(body, 'cost', scaled(kwh, Number(input.price.value)), p && p.beyond);
        }
      }
      byId('what-if-answers').replaceWith(body);
      byId('what-if-note').textContent = note;
    };

    // The slider runs over logarithms, from the least scale to eight times the greatest.
    const range = () => {
      const f = chosenGroup().time;
      return [Math.log(f.from), Math.log(8 * f.to)];
    };
    const moveSlide = () => {
      const [low, high] = range();
      input.slide.value = (Math.log(Math.max(Number(input.x.value), 1e-9)) - low) / (high - low);
      input.slide.setAttribute('aria-valuetext', input.x.value + ' ' + study.x);
    };
    selects.forEach((select, column) => select.addEventListener('change', () => { fill(column + 1); moveSlide(); answer(); }));
    input.slide.addEventListener('input', () => {
      const [low, high] = range();
      input.x.value = Math.round(Math.exp(low + Number(input.slide.value) * (high - low)));
      input.slide.setAttribute('aria-valuetext', input.x.value + ' ' + study.x);
      answer();
    });
    input.x.addEventListener('input', () => { moveSlide(); answer(); });
    input.grid.addEventListener('change', () => { if (input.grid.value !== '') input.carbon.value = input.grid.value; answer(); });
    input.carbon.addEventListener('input', () => { input.grid.value = ''; answer(); });
    for (const one of [input.pue, input.price]) one.addEventListener('input', answer);
    form.addEventListener('submit', (event) => event.preventDefault());

    fill(0);
    input.x.value = 2 * chosenGroup().time.to;
    moveSlide();
    answer();
  };

  for (const table of document.querySelectorAll('table.sortable')) setUpTable(table);
  for (const figure of document.querySelectorAll('figure')) setUpFigure(figure);
  const form = byId('what-if-form');
  if (form) setUpWhatIf(form);
})();
