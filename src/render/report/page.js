// Sorting, paging and copying of tables, values of points, and what is folded. Texts of the study enter the page as text
// nodes only.
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

const PAGE_ROWS = 20;

const rowsOf = async (table) => {
  const data = byId(table.id + '-rows');
  if (!data) {
    return Array.from(table.tBodies).flatMap((body) => Array.from(body.rows)).map((row) => Array.from(row.cells, (cell) =>
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
  const state = { order: null, kept: null, page: 0, whole: false };
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
    const kept = shown();
    const begin = state.page * PAGE_ROWS;
    const list = paged && !state.whole ? kept.slice(begin, begin + PAGE_ROWS) : kept;
    const body = document.createElement('tbody');
    for (const i of list) {
      const row = body.insertRow();
      rows[i].forEach((cell, column) => {
        const td = row.insertCell();
        td.textContent = cell[0];
        if (classes[column]) td.className = classes[column] === 'level' ? 'level ' + cell[0].split(':')[0] : classes[column];
        if (cell[1] !== null) td.dataset.v = cell[1];
      });
    }
    while (table.tBodies.length > 1) table.tBodies[1].remove();
    table.tBodies[0].replaceWith(body);
    table.dispatchEvent(new CustomEvent('drawn', { detail: list }));
    if (paged) tellPlace(kept.length);
  };
  const tellPlace = (count) => {
    const begin = state.page * PAGE_ROWS;
    all.textContent = state.whole ? 'Show ' + PAGE_ROWS + ' rows' : 'Show all ' + count + ' rows';
    if (state.whole) {
      where.textContent = 'all ' + count;
      previous.disabled = next.disabled = true;
      return;
    }
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
  let all = null;
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
    all = make('button', '', { type: 'button', class: 'tool' });
    all.addEventListener('click', whenRead(() => { state.whole = !state.whole; state.page = 0; draw(); }));
    tools.append(label, previous, next, all, where);
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

// What is folded opens when a link points into it, and for paper.

const openFor = (id) => {
  const target = id && byId(id);
  if (!target) return;
  for (const folded of [target.querySelector(':scope > details'), target.closest('details')]) if (folded) folded.open = true;
};

// What is wider than the screen says so.
const tellWhatScrolls = () => {
  for (const box of document.querySelectorAll('.scroll')) box.classList.toggle('wide', box.scrollWidth > box.clientWidth + 1);
};

const setUpFolds = () => {
  window.addEventListener('hashchange', () => openFor(location.hash.slice(1)));
  openFor(location.hash.slice(1));
  for (const link of document.querySelectorAll('nav a')) {
    link.addEventListener('click', () => openFor(link.getAttribute('href').slice(1)));
  }
  const folds = Array.from(document.querySelectorAll('section > details'));
  const toggle = byId('unfold');
  toggle.hidden = folds.length === 0;
  toggle.addEventListener('click', () => {
    const open = toggle.getAttribute('aria-pressed') !== 'true';
    toggle.setAttribute('aria-pressed', open);
    for (const fold of folds) fold.open = open;
  });
  for (const fold of folds) fold.addEventListener('toggle', tellWhatScrolls);
  window.addEventListener('resize', tellWhatScrolls);
  tellWhatScrolls();
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
};
