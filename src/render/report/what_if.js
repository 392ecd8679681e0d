// The what-if panel and the questions of the chart. Both show one state, which stands in the address.

const numberText = (value) => {
  if (value === null || !Number.isFinite(value)) return '-';
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-5)) return value.toExponential(3);
  const size = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.max(0, 3 - size));
};

// The same rounding as tables of predict: three digits of a speedup, whole percent.
const shownAs = { speedup: (value) => (value >= 1000 ? value.toFixed(0) : String(value.toPrecision(3))), efficiency: (value) => (100 * value).toFixed(0) + ' %' };

const MOST = 2 ** 53;  // As predict has it.

// What may be asked: whole numbers of what is counted, as far as the searches of predict go.
const isScale = (study, group, x) => x >= 1 && x <= Math.min(MOST, 1000 * group.time.to) && (study.one === study.x || Number.isInteger(x));
const scaleWords = (study, group) => 'Choose a ' + (study.one === study.x ? '' : 'whole ') + 'number from 1 to ' + Math.floor(1000 * group.time.to) + '.';

// The ends of the sliders, in the chart and below it.
const slideEnds = (f) => [Math.max(1, Math.ceil(f.from)), Math.max(1, Math.floor(8 * f.to))];

const SECONDS = { ms: 1e-3, s: 1, sec: 1, min: 60, m: 60, h: 3600, d: 86400 };

// "1:30", "1:30:00": seconds, as the command line takes them; null where it is no such time.
const clockSeconds = (text) => {
  const parts = /^\s*(\d+)((?::[0-5]\d){1,2})(\.\d+)?\s*$/.exec(text);
  if (!parts) return null;
  const whole = (parts[1] + parts[2]).split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  return whole + Number('0' + (parts[3] || ''));
};

// "60", "1 min", "2h", "1:30:00": in the unit of y; null where it is no duration.
const durationIn = (unit, text) => {
  const clock = unit in SECONDS ? clockSeconds(text) : null;
  if (clock > 0) return clock / SECONDS[unit];
  const found = /^\s*([0-9.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  const value = found ? Number(found[1]) : NaN;
  if (!(value > 0)) return null;
  if (found[2] === '' || found[2] === unit) return value;
  const factor = SECONDS[found[2].toLowerCase()] / SECONDS[unit];
  return Number.isFinite(factor) ? value * factor : null;
};

// The address keeps the names of groups, so that a link holds for a page that is made anew.
const addressOf = (state) => {
  const words = new URLSearchParams();
  for (const value of state.group.group) words.append('group', value);
  words.set('n', state.x);
  if (state.other) for (const value of state.other.group) words.append('with', value);
  for (const name of ['deadline', 'budget']) if (state[name]) words.set(name, state[name]);
  for (const [name, value] of Object.entries(state.footprint)) if (value !== '') words.set(name, value);
  if (!state.logX) words.set('x', 'linear');
  if (!state.logY) words.set('y', 'linear');
  if (state.alone) words.set('alone', '1');
  return '#' + words;
};

// The group that the words of an address name.
const find = (study, words, name) => {
  const key = words.getAll(name);
  return study.groups.find((group) => group.group.length === key.length && group.group.every((value, i) => value === key[i]));
};

// Sets what the address asks for. state.strange has what it asks that the page cannot show.
const stateOf = (address, study, state) => {
  const words = new URLSearchParams(address.slice(1));
  state.strange = [];
  if (!words.has('n') && !words.has('group')) return;
  for (const name of ['group', 'with']) if (words.has(name) && !find(study, words, name)) state.strange.push(words.getAll(name).join(', '));
  for (const name of ['n', 'deadline', 'budget']) if (words.has(name) && !(Number(words.get(name)) > 0)) state.strange.push(name + ' ' + words.get(name));
  const number = (name) => (Number(words.get(name)) > 0 ? Number(words.get(name)) : null);
  state.group = find(study, words, 'group') || state.group;
  state.other = words.has('with') && find(study, words, 'with') || null;
  if (state.other === state.group) state.other = null;
  state.x = number('n') || state.x;
  if (words.has('n')) [state.deadline, state.budget] = [number('deadline'), number('budget')];
  for (const name of Object.keys(state.footprint)) state.footprint[name] = Number(words.get(name)) > 0 ? words.get(name) : '';
  [state.logX, state.logY, state.alone] = [words.get('x') !== 'linear', words.get('y') !== 'linear', words.has('alone')];
};

// The efficiency at both ends of the exponent's interval, as the first screen has it; null outside the data, where laws
// part, and where nothing is uncertain.
const efficiencyByLaw = (group, x) => (group.beta && x > group.time.from && x <= group.time.to
  ? group.beta.map((beta) => Math.pow(x / group.time.from, beta - 1)) : null);

// The figures of a group at a scale, in the order of the panel: [name, { median, mean, lower, upper }].
const figuresAt = (study, group, x, footprint) => {
  const p = predict(group.time, x, study);
  if (p === null) return null;
  const figures = [[study.y, p]];
  // Times of unlike work are no speedup.
  if (study.has_speedup) figures.push(['speedup over ' + countOf(study, group.time.from), { median: p.speedup }]);
  if (study.has_efficiency) figures.push(['efficiency', { median: p.efficiency, byLaw: efficiencyByLaw(group, x) }]);
  if (study.hours_per_unit !== null) figures.push(['GPU-hours', scaled(p, x * study.hours_per_unit)]);
  const joules = group.energy ? predict(group.energy, x, study) : null;
  if (joules !== null) {
    const kwh = scaled(joules, group.joules * (group.per_x ? x : 1) * footprint.pue / 3.6e6);
    figures.push(['kWh', kwh]);
    if (footprint.carbon !== null) figures.push(['kg CO2', scaled(kwh, footprint.carbon / 1000)]);
    if (footprint.price !== null) figures.push(['cost', scaled(kwh, footprint.price)]);
  }
  return figures;
};

const noteOn = (f, x) => {
  if (x > 4 * f.to) return 'Far beyond the data, which end at ' + f.to + ': the answer rests on the laws alone.';
  if (x > f.to) return 'Beyond the data, which end at ' + f.to + '.';
  if (x < f.from) return 'Below the data, which begin at ' + f.from + '.';
  return 'Inside the range of the runs, ' + f.from + ' to ' + f.to + '.';
};

// "An epoch of BERT"; where rows are no groups "An epoch", and of rates the group alone.
const workOf = (study, group) => {
  if (!study.work) return group.name;
  return study.work[0].toUpperCase() + study.work.slice(1) + (study.by.length > 0 ? ' of ' + group.name : '');
};

// "BERT at 424 GPUs: an epoch takes 108.0 s (95 % of new runs: 94.35 .. 123.6), 12.72 GPU-hours, 2.359 kWh; efficiency 51 %."
const saidFigures = (study, group, x, figures, pue) => {
  const [[, time]] = figures;
  const unit = study.unit ? ' ' + study.unit : '';
  const share = Number((100 * study.confidence).toPrecision(6));
  const range = time.lower === null ? '' : ' (' + share + ' % of new runs: ' + numberText(time.lower) + ' .. ' + numberText(time.upper) + ')';
  const takes = figures.slice(1).filter(([name]) => ['GPU-hours', 'kWh'].includes(name)).map(([name, p]) =>
    ', ' + numberText(p.median) + ' ' + name + (name === 'kWh' && pue !== 1 ? ' at a PUE of ' + pue : ''));
  const efficiency = figures.filter(([name]) => name === 'efficiency').map(([, p]) => '; efficiency ' + shownAs.efficiency(p.median));
  return group.name + ' at ' + countOf(study, x) + ': ' + (study.work ? study.work + ' takes ' : '') + numberText(time.median) + unit + range +
    takes.join('') + efficiency.join('') + '.';
};

// "11 % less", "163 % more": as sentences of the page have it.
const changeText = (ratio) => {
  const percent = 100 * Math.abs(ratio - 1);
  return percent.toFixed(percent < 0.95 ? 2 : percent < 9.95 ? 1 : 0) + ' % ' + (ratio < 1 ? 'less' : 'more');
};

// " The means of the runs at 424 GPUs alone: 21 % more time and 1.5 % more kWh. ..."; empty where one was not measured there.
// @param ratios  Of the curves: of time, and where it is known of energy.
const saidOfRuns = (study, group, other, x, ratios, nouns) => {
  const [first, second] = [group, other].map((one) => one.points.find(([at]) => at === x));
  if (!first || !second) return '';
  const means = ratios.map((_, i) => (first[i + 1] > 0 ? second[i + 1] / first[i + 1] : NaN));
  const known = means.flatMap((ratio, i) => (ratio > 0 ? [changeText(ratio) + ' ' + nouns[i]] : []));
  const apart = nouns.filter((_, i) => means[i] > 0 && (means[i] - 1) * (ratios[i] - 1) < 0);
  return ' The means of the runs at ' + countOf(study, x) + ' alone: ' + known.join(' and ') + '.' +
    (apart.length > 0 ? ' Curves and runs disagree on which takes less ' + apart.join(' and ') + ', so neither is shown.' : '');
};

// " By the curves, which take the runs at all scales, that is 11 % less time and 6.0 % more kWh than the first."
const saidDifference = (study, group, otherGroup, x, figures, other) => {
  const [ratios, nouns] = [[], []];
  for (const [name, p] of [other[0], ...other.filter(([one]) => one === 'kWh')]) {
    const first = figures.find(([one]) => one === name);
    if (!first) continue;
    ratios.push(p.median / first[1].median);
    nouns.push(name === study.y ? (study.work ? 'time' : study.y) : name);
  }
  return ' By the curves, which take the runs at all scales, that is ' + ratios.map((ratio, i) => changeText(ratio) + ' ' + nouns[i]).join(' and ') +
    ' than the first.' + saidOfRuns(study, group, otherGroup, x, ratios, nouns);
};

// "1 GPU", "13 GPUs".
const countOf = (study, x) => study.setting ? 'a ' + study.setting + ' of ' + x : x + ' ' + (x === 1 ? study.one : study.units);

// How far the scales of an answer lie outside the data; no word inside them.
const reachWords = (f, ends) => {
  const greatest = Math.max(...ends);
  if (ends[0] < f.from) return ' That is below the data, which begin at ' + f.from + '.';
  if (greatest >= Math.floor(1000 * f.to)) return ' The search ends there, at 1000 times the data: it is no answer.';
  if (greatest > 4 * f.to) return ' That is far beyond the data, which end at ' + f.to + ': only the laws speak for it.';
  return (Math.min(...ends) < f.from ? ' The data begin at ' + f.from + '.' : '') + (greatest > f.to ? ' The data end at ' + f.to + '.' : '');
};

// The greatest scale up to which a page names numbers for a deadline. Beyond it only the laws speak.
const lastNamed = (f) => 4 * f.to;
const noneNamed = (f) => 'none up to ' + lastNamed(f) + ' (4 times the data)';

const saidDeadline = (study, f, goal, demand) => {
  if (demand.isFar) return goal + ': ' + noneNamed(f) + '.';
  const ends = [demand.early, demand.safe].filter((one) => one !== null);
  const reach = reachWords(f, [demand.x, ...ends]);
  if (ends.length === 0) return goal + ': ' + countOf(study, demand.x) + '.' + reach;
  const early = demand.early === null || demand.early === demand.x ? '' : demand.early + ' may do, ';
  const safe = demand.safe === null ? (early ? 'but ' : '') + 'no number is safe' : demand.safe + (demand.safe === 1 ? ' is' : ' are') + ' safe';
  return goal + ': ' + countOf(study, demand.x) + ' (' + early + safe + ', by the ' + Number((100 * study.confidence).toPrecision(6)) + ' % interval of new runs).' + reach;
};

// The words of predict. An end where the search ends is no limit.
const saidBudget = (study, f, goal, demand) => {
  const { x, early, safe } = demand;
  if (x === null) return goal + ': no ' + study.noun + '.';
  const isOpen = (one) => one >= Math.floor(1000 * f.to);
  const upTo = (one) => (isOpen(one) ? 'any number' : 'up to ' + one);
  const ends = [early, safe].filter((one) => one !== null);
  const notes = early === null || early === x ? [] : [upTo(early) + ' may be possible'];
  if (safe === null) notes.push((notes.length > 0 ? 'but ' : '') + 'no number is safe');
  else if (safe !== x || notes.length > 0) notes.push(upTo(safe) + (isOpen(safe) || safe === 1 ? ' is' : ' are') + ' safe');
  else notes.push('safe');
  const laws = isOpen(x) ? ', as far as the laws tell.' : '.';
  const closed = [x, ...ends].filter((one) => !isOpen(one));
  return goal + ': ' + (isOpen(x) ? 'any ' + study.noun : 'up to ' + countOf(study, x)) +
    (ends.length > 0 ? ' (' + notes.join(', ') + ')' : '') + laws + (isOpen(x) ? '' : reachWords(f, closed));
};

// What was asked in the call is in the headline and the first table, which do not follow the fields.
const saidOfTheCall = (study, state, unit) => {
  const asked = [['deadline', unit], ['budget', ' GPU-hours']].filter(([name]) => study[name] !== null && state[name] !== study[name])
    .map(([name, units]) => name + ' of ' + study[name] + units);
  return asked.length > 0 ? ['The headline and the first table keep the ' + asked.join(' and the ') + ', with which the report was made.'] : [];
};

// Groups that differ from one in their settings alone.
const siblingsOf = (study, group) => study.groups.filter((one) => one !== group && study.settings.length > 0 &&
  one.group.every((value, i) => value === group.group[i] || study.settings.some(([place]) => place === i)));

// "100 W", "250 W, 735 MHz": the settings of a group that another one does not have.
const settingsOf = (study, group, other) => study.settings.filter(([place]) => group.group[place] !== other.group[place])
  .map(([place, unit]) => group.group[place] + (unit && Number.isFinite(Number(group.group[place])) ? ' ' + unit : '')).join(', ');

// "from 827 to 1676 GPUs by the median, but no number is safe for both": of a deadline and a budget together.
const saidOfBoth = (study, f, deadline, hours, least, most) => {
  const meets = (x, probability) => isMet(f, x, deadline, probability) && isMet(f, x, hours / x, probability);
  const range = (from, to, probability) => (from !== null && to !== null && from <= to && [from, to].every((x) => meets(x, probability))
    ? (from === to ? countOf(study, from) : 'from ' + from + ' to ' + countOf(study, to)) : null);
  const median = range(least.x, most.x, 0.5);
  if (median === null) return 'Both together: no ' + study.noun + ' meets them.';
  const safe = range(least.safe, most.safe, 1 - 0.5 * (1 - study.confidence));
  return 'Both together: ' + median + ' by the median, ' + (safe === null ? 'but no number is safe for both.' : safe + ' are safe.');
};

// ", beyond the data": of another group, whose numbers stand in brackets.
const outsideNote = (f, x, safe) => {
  if (x < f.from) return ', below the data';
  const greatest = Math.max(x, safe);
  return greatest > 4 * f.to ? ', far beyond the data' : greatest > f.to ? ', beyond the data' : '';
};

// The groups that the first table recommends; without one, all of them.
const chartable = (study) => {
  const advised = study.advised.map(([place]) => study.groups[place]).filter((one) => one);
  return advised.length > 0 ? advised : study.groups;
};

const chartGroups = (study) => {
  for (const [place, , name, style] of study.advised) if (study.groups[place]) Object.assign(study.groups[place], { short: name, style });
  return chartable(study).slice(0, 8);
};

// Screen readers speak of what changed alone.
const showLines = (element, lines) => {
  if (element.textContent !== lines.join('')) element.replaceChildren(...lines.map((line) => make('span', line)));
};

class WhatIf {
  constructor(form, study) {
    Object.assign(this, { form, study });
    this.input = Object.fromEntries(['x', 'slide', 'pue', 'grid', 'carbon', 'price'].map((name) => [name, byId('what-if-' + name)]));
    const shown = chartGroups(study);
    const first = study.advised.find(([place]) => study.groups[place] === shown[0]);
    this.state = { group: shown[0], other: null, x: first && first[1] || shown[0].time.to, deadline: study.deadline, budget: study.budget,
      footprint: { pue: '', carbon: '', price: '' },  // As the fields have them; empty: as the report was made.
      logX: true, logY: true, alone: false, target: null, strange: [] };
    this.setUpPanel();
    this.setUpQuestions();
    this.setUpChart(shown);
    this.setUpTable();
    this.takeAddress();
    window.addEventListener('hashchange', () => this.takeAddress());
  }

  takeAddress() {
    stateOf(location.hash, this.study, this.state);
    this.show({});
    if (this.state.strange.length > 0) history.replaceState(null, '', addressOf(this.state));
  }

  setUpPanel() {
    const { study, input } = this;
    byId('what-if-x-label').textContent = study.x;
    byId('what-if-share').textContent = Number((100 * study.confidence).toPrecision(6)) + ' % of new runs';
    for (const [name, grams] of study.grids) input.grid.append(make('option', name + ', ' + grams + ' g', { value: grams }));
    const text = (value) => (value === null ? '' : String(value));
    this.made = { pue: text(study.pue), carbon: text(study.carbon_intensity), price: text(study.price) };
    if (!study.groups.some((group) => group.energy)) byId('what-if-footprint').hidden = true;
    this.selects = study.by.map((name, i) => {
      const field = make('div', null, { class: 'field' });
      const select = make('select', null, { id: 'what-if-by-' + i });
      field.append(make('label', name, { for: select.id }), select);
      byId('what-if-group').append(field);
      select.addEventListener('change', () => this.change({ group: this.chosenBy(i) }));
      return select;
    });
    input.slide.addEventListener('input', () => {
      const [low, high] = this.slideRange();
      this.change({ x: Math.round(Math.exp(low + Number(input.slide.value) * (high - low))) });
    });
    input.x.addEventListener('input', () => {
      const x = Number(input.x.value);
      this.change({ x: isScale(this.study, this.state.group, x) ? x : 0 }, input.x);
    });
    const take = (name, value, typed) => this.change({ footprint: { ...this.state.footprint, [name]: value === this.made[name] ? '' : value } }, typed);
    input.grid.addEventListener('change', () => { if (input.grid.value !== '') take('carbon', input.grid.value, input.grid); });
    for (const name of ['pue', 'carbon', 'price']) input[name].addEventListener('input', () => take(name, input[name].value, input[name]));
    this.form.addEventListener('submit', (event) => event.preventDefault());
  }

  // The group of the selects up to one of them; what follows it is kept where such a group exists, else the last.
  chosenBy(column) {
    const values = this.selects.map((select) => select.value);
    const fits = this.study.groups.filter((group) => values.slice(0, column + 1).every((value, i) => group.group[i] === value));
    return fits.find((group) => group.group.every((value, i) => value === values[i])) || fits[fits.length - 1];
  }

  setUpChart(shown) {
    const holder = byId('chart');
    holder.hidden = false;
    byId('figure-answer').hidden = true;  // The chart stands in its place, and draws the same.
    const controls = make('div', null, { class: 'fields controls' });
    const field = (label, element) => {
      const box = make('label', label, { class: 'field' });
      box.append(element);
      controls.append(box);
      return element;
    };
    const { study, state } = this;
    this.other = field('Compare with', make('select', null, { id: 'chart-with' }));
    this.other.append(make('option', 'no other', { value: '' }), ...study.groups.map((group, i) => make('option', group.name, { value: i })));
    this.other.parentElement.hidden = study.groups.length < 2;
    this.other.addEventListener('change', () => this.change({ other: this.other.value === '' ? null : study.groups[this.other.value] }));
    for (const [name, label] of [['logX', 'Logarithmic ' + study.x], ['logY', 'Logarithmic ' + study.y]]) {
      const box = field(label, make('input', null, { type: 'checkbox', id: 'chart-' + name }));
      box.parentElement.classList.add('tick');
      box.addEventListener('change', () => this.change({ [name]: box.checked }));
      this[name] = box;
    }
    this.said = make('p', null, { id: 'chart-said', class: 'said', 'aria-live': 'polite' });
    this.chart = new Chart(holder, study, shown, state, (changes) => this.change(changes));
    holder.append(this.said, controls);
  }

  // The questions that come before the table and the chart, and the answers to them.
  setUpQuestions() {
    const { study } = this;
    const work = study.work || 'it';
    const questions = [];
    if (study.work) questions.push(['deadline', 'Finish ' + work + ' within', study.unit]);
    if (study.hours_per_unit !== null) questions.push(['budget', 'Spend on ' + work + ' at most', 'GPU-hours']);
    const holder = byId('ask');
    const fields = make('div', null, { class: 'fields' });
    this.limits = questions.map(([name, label, unit]) => {
      const input = make('input', null, { id: 'chart-limit-' + name, type: 'text', inputmode: 'decimal', size: 7, autocomplete: 'off' });
      input.addEventListener('input', () => {
        const value = durationIn(name === 'deadline' ? study.unit : '', input.value);
        input.setAttribute('aria-invalid', value === null && input.value.trim() !== '');
        this.change({ [name]: value }, input);
      });
      const box = make('label', label + ' ', { class: 'question' });
      box.append(input, unit ? ' ' + unit : '');
      fields.append(box);
      return [name, input];
    });
    this.answers = make('p', null, { id: 'ask-said', class: 'said', 'aria-live': 'polite' });
    holder.append(fields, this.answers);
    holder.hidden = questions.length === 0;
  }

  // Names of the first table choose their group.
  setUpTable() {
    const table = byId('advice-table');
    if (!table || this.study.by.length === 0) return;
    const bodies = () => Array.from(table.tBodies).filter((body) => !body.classList.contains('paper'));
    const link = (order) => bodies().flatMap((body) => Array.from(body.rows)).forEach((row, i) => {
      const [place, x] = this.study.advised[order ? order[i] : i] || [-1];
      const group = this.study.groups[place];
      if (!group || row.cells[0].querySelector('button')) return;
      const button = make('button', row.cells[0].textContent, { type: 'button', class: 'choose' });
      row.cells[0].replaceChildren(button);
      button.addEventListener('click', () => this.change({ group, x: x || this.state.x }));
    });
    link(null);
    table.addEventListener('drawn', (event) => link(event.detail));
  }

  change(changes, typed = null) {
    if (changes.group && changes.group !== this.state.group && changes.x === undefined && !(this.state.x > 0)) changes.x = changes.group.time.to;
    Object.assign(this.state, { strange: [] }, changes);
    if (this.state.other === this.state.group) this.state.other = null;
    this.show({ typed });
    clearTimeout(this.waiting);  // Browsers take few new addresses per second.
    this.waiting = setTimeout(() => history.replaceState(null, '', addressOf(this.state)), 250);
  }

  slideRange() {
    return slideEnds(this.state.group.time).map(Math.log);
  }

  show({ typed = null }) {
    const { state, study, input } = this;
    const values = state.group.group;
    if (this.filled !== state.group) this.selects.forEach((select, column) => {
      const choices = new Set(study.groups.filter((one) => one.group.slice(0, column).every((value, i) => value === values[i]))
        .map((one) => one.group[column]));
      select.replaceChildren(...Array.from(choices, (value) => make('option', value, { value })));
      select.value = values[column];
    });
    this.filled = state.group;
    if (input.x !== typed && Number(input.x.value) !== state.x) input.x.value = state.x;
    const [low, high] = this.slideRange();
    input.slide.value = (Math.log(Math.max(state.x, 1e-9)) - low) / (high - low);
    input.slide.setAttribute('aria-valuetext', state.x + ' ' + study.x);
    Array.from(this.other.options).slice(1).forEach((option, i) => { option.hidden = option.disabled = study.groups[i] === state.group; });
    this.other.value = state.other ? study.groups.indexOf(state.other) : '';
    for (const name of ['pue', 'carbon', 'price']) if (input[name] !== typed) input[name].value = state.footprint[name] || this.made[name];
    if (input.grid !== typed && input.grid.value !== input.carbon.value) input.grid.value = '';
    for (const [name, box] of this.limits) if (box !== typed) box.value = state[name] === null ? '' : state[name];
    [this.logX.checked, this.logY.checked] = [state.logX, state.logY];
    this.answer();
  }

  footprint() {
    const { pue, carbon, price } = this.input;
    const number = (field, without) => (field.value === '' ? without : Number(field.value));
    const isPue = pue.value === '' || Number(pue.value) >= 1 && Number(pue.value) <= Math.max(3, this.study.pue);
    pue.setAttribute('aria-invalid', !isPue);
    return { pue: isPue ? number(pue, 1) : this.study.pue, carbon: number(carbon, null), price: number(price, null) };
  }

  answer() {
    const { state, study } = this;
    const body = make('tbody', null, { id: 'what-if-answers' });
    const figures = state.x > 0 ? figuresAt(study, state.group, state.x, this.footprint()) : null;
    let note = state.x > 0 ? 'The law has no value there.' : scaleWords(study, state.group);
    if (figures) {
      const beyond = figures[0][1].beyond;
      for (const [name, p] of figures) this.addRow(body, name, p, beyond);
      note = noteOn(state.group.time, state.x);
    }
    byId('what-if-answers').replaceWith(body);
    const { pue } = this.input;
    if (pue.getAttribute('aria-invalid') === 'true') note += ' “' + pue.value + '” is no PUE, which is from 1 to ' + Math.max(3, study.pue) + ': ' + study.pue + ' is taken.';
    byId('what-if-note').textContent = note;
    this.say(figures);
    this.answerQuestions();
    if (state.x > 0) this.chart.redraw();
  }

  addRow(body, name, p, beyond) {
    const row = body.insertRow();
    if (beyond) row.className = 'beyond';
    row.dataset.figure = name;
    row.insertCell().textContent = name === 'cost' ? 'cost, in the money of the price' : name;
    for (const value of [p.median, p.mean]) {
      const cell = row.insertCell();
      cell.className = 'right';
      cell.textContent = value === undefined ? '' : (shownAs[name.split(' ')[0]] || numberText)(value);
      if (value !== undefined && value !== null) cell.dataset.value = value;
    }
    const cell = row.insertCell();
    cell.className = 'right';
    if (p.byLaw) cell.textContent = p.byLaw.map((end) => (100 * end).toFixed(0)).join(' to ') + ' %, by the power law';
    if (p.lower === undefined) return;
    cell.textContent = p.lower === null ? '-' : numberText(p.lower) + ' .. ' + numberText(p.upper);
    if (p.lower !== null) { cell.dataset.lower = p.lower; cell.dataset.upper = p.upper; }
  }

  // What the chart says under itself.
  say(figures) {
    const { state, study } = this;
    const lines = state.strange.map((words) => 'The address asks for “' + words + '”, which this page does not have: it shows ' + state.group.name + ' at ' + countOf(study, state.x) + '.');
    if (figures) lines.push(saidFigures(study, state.group, state.x, figures, this.footprint().pue) + ' ' + noteOn(state.group.time, state.x));
    const other = state.other && state.x > 0 ? figuresAt(study, state.other, state.x, this.footprint()) : null;
    if (other) lines.push(saidFigures(study, state.other, state.x, other, this.footprint().pue) + (figures ? saidDifference(study, state.group, state.other, state.x, figures, other) : ''));
    const left = chartable(study).length - this.chart.shown.length;
    if (left > 0) lines.push(left + ' more groups are not drawn; choose them as the second group or in What if.');
    showLines(this.said, lines);
  }

  // Answers to the questions above the table.
  answerQuestions() {
    const { state, study } = this;
    const lines = [];
    state.target = null;
    const unit = study.unit ? ' ' + study.unit : '';
    if (state.deadline) lines.push(...this.saidOfDeadline(unit));
    if (state.budget) {
      const hours = state.budget / study.hours_per_unit;
      const demand = demandOf(greatestFor, state.group.time, hours, study);
      lines.push(saidBudget(study, state.group.time, workOf(study, state.group) + ' within ' + state.budget + (state.budget === 1 ? ' GPU-hour' : ' GPU-hours'), demand));
      if (state.deadline) lines.push(saidOfBoth(study, state.group.time, state.deadline, hours, demandOf(leastFor, state.group.time, state.deadline, study), demand));
    }
    lines.push(...saidOfTheCall(study, state, unit));
    for (const [name, box] of this.limits) {
      if (box.getAttribute('aria-invalid') === 'true') lines.push('“' + box.value + '” is no ' + name + ': write a number above 0 such as 60.5' + (name === 'deadline' ? ', or one with its unit such as 90s, 5 min or 1:30:00.' : '.'));
    }
    showLines(this.answers, lines);
  }

  // The median answer of a group to the deadline, the safe one, and the energy that the first takes.
  metBy(group) {
    const { x, early, safe } = demandOf(leastFor, group.time, this.state.deadline, this.study);
    const isFar = x === null || x > lastNamed(group.time);
    const figures = isFar ? {} : Object.fromEntries(figuresAt(this.study, group, x, this.footprint()));
    const medianOf = (name) => (figures[name] ? figures[name].median : null);
    return { group, x, early, safe, isFar, kwh: medianOf('kWh'), efficiency: medianOf('efficiency') };
  }

  // " On 827 GPUs that takes 2.427 kWh; efficiency 47 %."; empty where neither is known.
  saidOfCost({ x, kwh, efficiency }) {
    const place = ' On ' + countOf(this.study, x) + ' ';
    const share = efficiency === null ? '' : shownAs.efficiency(efficiency);
    if (kwh === null) return share === '' ? '' : place + 'efficiency is ' + share + '.';
    return place + 'that takes ' + numberText(kwh) + ' kWh' + (share === '' ? '' : '; efficiency ' + share) + '.';
  }

  // "1076 GPUs (1243 are safe, beyond the data)".
  saidOfMet({ group, x, safe, isFar }, isBare) {
    if (isFar) return noneNamed(group.time);
    return (isBare ? x : countOf(this.study, x)) + ' (' + (safe === null ? 'no number is safe' : safe + ' safe') + outsideNote(group.time, x, safe) + ')';
  }

  saidOfDeadline(unit) {
    const { state, study } = this;
    const met = this.metBy(state.group);
    state.target = met.isFar ? null : met.x;
    const lines = [saidDeadline(study, state.group.time, workOf(study, state.group) + ' within ' + state.deadline + unit, met) +
      this.saidOfCost(met)];
    lines.push(...this.saidOfSettings(met));
    const others = this.chart.shown.filter((one) => one !== state.group).map((one) => {
      const settings = settingsOf(study, one, state.group);
      return (one.short || one.name) + (one.short && settings ? ', ' + settings : '') + ': ' + this.saidOfMet(this.metBy(one), true);
    });
    const isChosen = study.settings.length > 0 && this.chart.shown.some((one) => one.short && siblingsOf(study, one).length > 0);
    const note = isChosen ? ', each with its setting of the table, which was chosen at the ' + study.noun + ' there' : '';
    if (others.length > 0) lines.push('The same for the others' + note + ': ' + others.join('; ') + '.');
    return lines;
  }

  // "The same with other settings: 100 W: 1076 GPUs (1243 safe, beyond the data), 1.346 kWh, which is 46 % less; ...", those of
  // least energy first.
  saidOfSettings(met) {
    const most = 4;
    const found = siblingsOf(this.study, met.group).map((one) => this.metBy(one));
    const order = (one) => (one.kwh === null ? Infinity : one.kwh);
    found.sort((a, b) => a.isFar - b.isFar || order(a) - order(b) || a.x - b.x);
    if (found.length === 0) return [];
    const change = (kwh) => (met.kwh === null ? '' : ', which is ' + changeText(kwh / met.kwh));
    const texts = found.slice(0, most).map((one) => settingsOf(this.study, one.group, met.group) + ': ' + this.saidOfMet(one, false) +
      (one.kwh === null ? '' : ', ' + numberText(one.kwh) + ' kWh' + change(one.kwh)));
    const left = found.length - texts.length;
    return ['With other settings: ' + texts.join('; ') + (left > 0 ? '; and ' + left + ' more' : '') + '.'];
  }
}

// A moment after the page is first painted, which this would hold up.
const setUp = async () => {
  for (const table of document.querySelectorAll('table.sortable')) new SortedTable(table);
  for (const figure of document.querySelectorAll('figure')) setUpFigure(figure);
  setUpFolds();
  const form = byId('what-if-form');
  if (form) new WhatIf(form, await dataOf(byId('what-if-data')));
  document.documentElement.dataset.ready = '';
};
setUp();
