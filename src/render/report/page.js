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

// A table that is sorted by its headers, copied, and if it is long searched and paged. Rows are read when they are first
// asked for: long tables take a while.
class SortedTable {
  constructor(table) {
    this.table = table;
    this.cells = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
    this.headers = this.cells.map((cell) => cell.textContent);
    this.classes = this.cells.map((cell) => cell.dataset.cells || '');
    this.data = byId(table.id + '-rows');
    Object.assign(this, { rows: null, order: null, kept: null, page: 0, whole: false });
    if (table.dataset.fixed === undefined) this.cells.forEach((cell, column) => this.setUpHeader(cell, column));
    const tools = make('div', null, { class: 'tools' });
    tools.append(this.copyButton());
    if (this.data) tools.append(...this.pageTools());
    table.closest('.table').append(tools);
    if (this.data) this.tellPlace(Number(this.data.dataset.rows));
  }

  whenRead(act) {
    return async () => {
      try {
        this.rows = this.rows || await (this.reading = this.reading || rowsOf(this.table));
      } catch (error) {
        say('This browser cannot read the rows');
        return;
      }
      this.order = this.order || this.rows.map((_, i) => i);
      act();
    };
  }

  shown() { return this.kept === null ? this.order : this.order.filter((i) => this.kept.has(i)); }

  setUpHeader(cell, column) {
    const button = make('button', this.headers[column], { type: 'button' });
    cell.textContent = '';
    cell.dataset.title = this.headers[column];
    cell.append(button);
    button.addEventListener('click', this.whenRead(() => {
      const up = cell.getAttribute('aria-sort') !== 'ascending';
      for (const other of this.cells) other.removeAttribute('aria-sort');
      cell.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const direction = up ? 1 : -1;
      this.order = this.rows.map((_, i) => i)
        .sort((a, b) => compareCells(this.rows[a][column], this.rows[b][column], direction) || a - b);
      this.page = 0;
      this.draw();
      say('Sorted by ' + this.headers[column] + (up ? ', ascending' : ', descending'));
    }));
  }

  copyButton() {
    const copy = make('button', 'Copy as CSV', { type: 'button', class: 'tool' });
    copy.addEventListener('click', this.whenRead(async () => {
      const done = await copyText(csvOf(this.headers, this.shown().map((i) => this.rows[i])));
      copy.textContent = done ? 'Copied' : 'Not allowed here';
      say(done ? this.shown().length + ' rows copied' : 'The browser does not allow copying');
      setTimeout(() => { copy.textContent = 'Copy as CSV'; }, 2000);
    }));
    return copy;
  }

  pageTools() {
    const search = make('input', null, { type: 'search' });
    const label = make('label', 'Rows with');
    label.append(search);
    search.addEventListener('input', this.whenRead(() => {
      const word = search.value.toLowerCase();
      this.kept = word === '' ? null : new Set(this.rows.map((_, i) => i)
        .filter((i) => this.rows[i].some((cell) => cell[0].toLowerCase().includes(word))));
      this.page = 0;
      this.draw();
    }));
    const button = (text, act) => {
      const element = make('button', text, { type: 'button', class: 'tool' });
      element.addEventListener('click', this.whenRead(() => { act(); this.draw(); }));
      return element;
    };
    this.previous = button('Previous', () => { this.page -= 1; });
    this.next = button('Next', () => { this.page += 1; });
    this.all = button('', () => { this.whole = !this.whole; this.page = 0; });
    this.where = make('span', '', { 'aria-live': 'polite' });
    return [label, this.previous, this.next, this.all, this.where];
  }

  addRow(body, i) {
    const row = body.insertRow();
    this.rows[i].forEach((cell, column) => {
      const kind = this.classes[column];
      const td = row.insertCell();
      td.textContent = cell[0];
      if (kind) td.className = kind === 'level' ? 'level ' + cell[0].split(':')[0] : kind;
      if (cell[1] !== null) td.dataset.v = cell[1];
      if (column > 0 && this.table.classList.contains('cards')) td.dataset.title = this.headers[column];
    });
  }

  draw() {
    const { table } = this;
    const kept = this.shown();
    const begin = this.page * PAGE_ROWS;
    const list = this.data && !this.whole ? kept.slice(begin, begin + PAGE_ROWS) : kept;
    const body = document.createElement('tbody');
    for (const i of list) this.addRow(body, i);
    while (table.tBodies.length > 1) table.tBodies[1].remove();
    table.tBodies[0].replaceWith(body);
    table.dispatchEvent(new CustomEvent('drawn', { detail: list }));
    if (this.data) {
      this.tellPlace(kept.length);
      // On paper stands what was chosen on the screen.
      table.closest('.table').querySelector('p.printed').textContent =
        this.whole ? '' : 'Rows ' + this.where.textContent + '; the HTML file has all of them.';
    }
  }

  tellPlace(count) {
    const begin = this.page * PAGE_ROWS;
    this.all.textContent = this.whole ? 'Show ' + PAGE_ROWS + ' rows' : 'Show all ' + count + ' rows';
    this.where.textContent = this.whole ? 'all ' + count
      : count === 0 ? 'no row' : (begin + 1) + ' to ' + Math.min(begin + PAGE_ROWS, count) + ' of ' + count;
    this.previous.disabled = this.whole || this.page === 0;
    this.next.disabled = this.whole || begin + PAGE_ROWS >= count;
  }
}

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
  // Tables of answers are filled later than the page, and grow with what is asked.
  const growth = new ResizeObserver(tellWhatScrolls);
  for (const inside of document.querySelectorAll('.scroll > *')) growth.observe(inside);
  tellWhatScrolls();
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener('afterprint', () => { for (const fold of closed) fold.open = false; });
};
