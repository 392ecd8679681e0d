// The chart of the first screen: measured points, curves with both bands, and a scale that readers drag.

const SVG = (() => {  // The page names no address, not even that of SVG.
  const holder = document.createElement('div');
  holder.innerHTML = '<svg></svg>';
  return holder.firstChild.namespaceURI;
})();
const SHAPES = ['M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z', 'M-3.5,-3.5h7v7h-7z', 'M0,-4.6L4.4,3.4H-4.4z', 'M0,-5L5,0L0,5L-5,0z',
  'M0,4.6L4.4,-3.4H-4.4z'];  // As in the figures: after these five come rings, and the others hollow.
const shapeOf = (i) => ({ shape: SHAPES[i % SHAPES.length], open: i % 8 >= SHAPES.length });
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '4 4', '12 3', '1 4', '6 2 2 2'];

const draw = (parent, tag, attributes, text) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
};

const plainNumber = (value) => (value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(0) : String(Number(value.toPrecision(9))));

// The texts of ticks, all of one kind: from a thousand on as k, M and G where the greatest has five digits or more. Counts
// are whole numbers that people know, such as 16384, up to nine digits.
const tickTexts = (ticks, isCount) => {
  const greatest = Math.max(...ticks.map(Math.abs));
  return ticks.map((value) => {
    const unit = greatest >= (isCount ? 1e8 : 1e4) && [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']].find(([size]) => Math.abs(value) >= size);
    return unit ? Number((value / unit[0]).toPrecision(4)) + unit[1] : plainNumber(value);
  });
};

// An axis from values to pixels. Ticks of logarithmic ones are powers of two or ten, or 1, 2 and 5 in each decade.
const axisOf = (least, greatest, begin, end, isLog, isCount) => {
  const [low, high] = isLog ? [Math.log(least), Math.log(greatest)] : [least, greatest];
  const place = (value) => begin + (end - begin) * ((isLog ? Math.log(value) : value) - low) / (high - low);
  const valueAt = (pixel) => {
    const at = low + (high - low) * (pixel - begin) / (end - begin);
    return isLog ? Math.exp(at) : at;
  };
  const most = Math.max(3, Math.abs(end - begin) / 52);
  const steps = [];
  if (!isLog) {
    const rough = (greatest - least) / most;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * [1, 2, 5, 10].find((part) => part * power >= rough);
    for (let i = Math.ceil(least / step); i * step <= greatest * (1 + 1e-9); ++i) steps.push(i * step);
    return { place, valueAt, ticks: steps };
  }
  const bases = isCount ? [2, 4, 8, 10, 100] : [10, 100, 1000];
  const decades = (high - low) / Math.LN10;
  if (!isCount && decades < most / 3) {
    for (let k = Math.floor(Math.log10(least)); k <= Math.log10(greatest); ++k) {
      for (const part of [1, 2, 5]) steps.push(part * Math.pow(10, k));
    }
  } else {
    const base = bases.find((one) => (high - low) / Math.log(one) <= most) || 1000;
    for (let k = Math.floor(low / Math.log(base)); k <= high / Math.log(base) + 1; ++k) steps.push(Math.pow(base, k));
  }
  return { place, valueAt, ticks: steps.filter((tick) => tick >= least * (1 - 1e-9) && tick <= greatest * (1 + 1e-9)) };
};

const pathOf = (places) => places.map(([x, y], i) => (i ? 'L' : 'M') + x.toFixed(1) + ',' + y.toFixed(1)).join('');

// Curves are the same until another group is chosen: they are computed once.
const curveOf = (study, group, from, to) => {
  group.curves = group.curves || new Map();
  const key = from + ' ' + to;
  if (!group.curves.has(key)) {
    const places = Array.from({ length: 61 }, (_, i) => from * Math.pow(to / from, i / 60));
    group.curves.set(key, places.map((x) => bandsAt(group.time, x, study)).filter((one) => one !== null));
  }
  return group.curves.get(key);
};

class Chart {
  // @param shown    Groups to draw at first, of `study`; their order gives colours and shapes.
  // @param state    { group, other, x, deadline, budget, logX, logY, alone }; read here, and changed through `change`.
  constructor(holder, study, shown, state, change) {
    Object.assign(this, { holder, study, shown, state, change });
    this.legend = make('div', null, { class: 'legend', role: 'group', 'aria-label': 'Groups of the chart' });
    this.frame = make('div', null, { class: 'frame' });
    holder.append(this.frame, this.legend);
    new ResizeObserver(() => this.redraw()).observe(holder);
  }

  // Groups that are drawn, the chosen ones last, so that they lie on top.
  groups() {
    const { group, other, alone } = this.state;
    const all = alone ? [group, other] : [...this.shown.filter((one) => one !== group && one !== other), other, group];
    return all.filter((one, i) => one && all.lastIndexOf(one) === i);
  }

  styleOf(group) {
    const known = this.shown.indexOf(group);
    const place = known >= 0 ? known : this.shown.length + (group === this.state.other ? 1 : 0);
    const i = known >= 0 && group.style !== undefined ? group.style : place;
    return { colour: 'var(--fig-' + i % 8 + ')', ...shapeOf(i), dash: DASHES[i % 8] };
  }

  redraw() {
    const width = this.holder.clientWidth;
    if (width < 40 || !this.state.group || !(this.state.x > 0)) return;  // A field may be empty for a moment.
    const height = Math.max(250, Math.min(390, 0.56 * width));
    const box = { left: 54, right: width - 12, top: 10, bottom: height - 40 };
    const hadFocus = document.activeElement === this.handle;
    const focusVisible = hadFocus && this.handle.matches(':focus-visible');
    const svg = draw(document.createElement('div'), 'svg', { viewBox: '0 0 ' + width + ' ' + height, height, role: 'group',
      'aria-label': this.study.y + ' over ' + this.study.x + ': measured points, curves, and bands of the chosen group' });
    this.box = box;
    this.makeAxes(svg, box);
    const [across, along] = [box.right - box.left, box.bottom - box.top];
    const inside = draw(svg, 'svg', { x: box.left, y: box.top, width: across, height: along,
      viewBox: [box.left, box.top, across, along].join(' '), class: 'inside' });  // It hides what is outside.
    const here = this.x.place(this.state.x);  // Under all words.
    draw(inside, 'path', { d: `M${here},${box.top}V${box.bottom}`, class: 'here' });
    for (const group of this.groups()) this.drawGroup(inside, group);
    this.drawDemands(inside, box);
    this.drawHandle(svg, box);
    this.frame.replaceChildren(svg);
    if (hadFocus) this.handle.focus({ focusVisible });
    this.drawLegend();
  }

  extent() {
    const { group, other, x, logX, deadline, target } = this.state;
    const groups = this.groups();
    const from = Math.min(...groups.map((one) => one.time.from));
    const reach = Math.max(...[group, other].filter((one) => one).map((one) => one.time.to)) * (logX ? 8 : 2);
    const to = Math.max(reach, 1.05 * x, target ? 1.3 * Math.min(target, 100 * reach) : 0);
    const heights = deadline ? [deadline] : [];
    for (const one of groups) {
      for (const [, y] of one.points) heights.push(y);
      for (const at of curveOf(this.study, one, from, to)) {
        heights.push(at.median);
        if ((one === group || one === other) && at.run && at.x <= 4 * one.time.to) heights.push(...at.run.filter(Number.isFinite));
      }
    }
    return { from, to, least: Math.min(...heights), greatest: Math.max(...heights) };
  }

  makeAxes(svg, box) {
    const { logX, logY } = this.state;
    const { from, to, least, greatest } = this.extent();
    this.range = { from, to };
    this.x = axisOf(logX ? from / 1.1 : 0, to, box.left, box.right, logX, true);
    this.y = axisOf(logY ? least / 1.15 : 0, greatest * 1.1, box.bottom, box.top, logY, false);
    const across = tickTexts(this.x.ticks, true);
    const upwards = tickTexts(this.y.ticks, false);
    for (const [i, tick] of this.x.ticks.entries()) {
      const at = this.x.place(tick);
      draw(svg, 'path', { d: `M${at},${box.top}V${box.bottom}`, class: 'grid' });
      draw(svg, 'text', { x: at, y: box.bottom + 16, 'text-anchor': 'middle' }, across[i]);
    }
    for (const [i, tick] of this.y.ticks.entries()) {
      const at = this.y.place(tick);
      draw(svg, 'path', { d: `M${box.left},${at}H${box.right}`, class: 'grid' });
      draw(svg, 'text', { x: box.left - 6, y: at + 4, 'text-anchor': 'end' }, upwards[i]);
    }
    draw(svg, 'path', { d: `M${box.left},${box.top}V${box.bottom}H${box.right}`, class: 'axis' });
    draw(svg, 'text', { x: (box.left + box.right) / 2, y: box.bottom + 34, 'text-anchor': 'middle' }, this.study.x);
    const unit = this.study.unit ? ' [' + this.study.unit + ']' : '';
    draw(svg, 'text', { transform: `translate(13,${(box.top + box.bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle' }, this.study.y + unit);
  }

  drawGroup(parent, group) {
    const { colour, shape, open, dash } = this.styleOf(group);
    const isChosen = group === this.state.group || group === this.state.other;
    const layer = draw(parent, 'g', { class: isChosen ? 'chosen' : 'other', 'data-group': group.name });
    layer.style.color = colour;
    const curve = curveOf(this.study, group, this.range.from, this.range.to);
    const place = (x, y) => [this.x.place(x), this.y.place(Math.max(y, 1e-300))];
    for (const band of isChosen ? ['run', 'curve'] : []) {
      const ends = curve.filter((at) => at[band] && at[band].every((end) => end > 0 && Number.isFinite(end)));
      if (ends.length < 2) continue;
      const places = [...ends.map((at) => place(at.x, at[band][1])), ...ends.toReversed().map((at) => place(at.x, at[band][0]))];
      draw(layer, 'path', { d: pathOf(places) + 'z', class: 'band ' + band });
    }
    const known = curve.filter((at) => at.x <= group.time.to * 1.001);
    const beyond = curve.filter((at) => at.x >= group.time.to * 0.999 || at === known[known.length - 1]);
    draw(layer, 'path', { d: pathOf(known.map((at) => place(at.x, at.median))), class: 'line', 'stroke-dasharray': dash });
    draw(layer, 'path', { d: pathOf(beyond.map((at) => place(at.x, at.median))), class: 'line beyond-data' });
    for (const [x, y] of group.points) {
      const [px, py] = place(x, y);
      draw(layer, 'path', { d: shape, transform: `translate(${px.toFixed(1)},${py.toFixed(1)})`, class: open ? 'mark open' : 'mark' });
    }
  }

  drawDemands(parent, box) {
    const { deadline, budget, target } = this.state;
    if (deadline) {
      const at = this.y.place(deadline);
      draw(parent, 'path', { d: `M${box.left},${at}H${box.right}`, class: 'limit', id: 'chart-deadline' });
      // Inside the chart, and where curves that fall do not pass.
      const isLeft = this.state.logX && this.state.logY && at < box.bottom - 40;
      draw(parent, 'text', { x: isLeft ? box.left + 6 : box.right - 6, y: Math.max(at - 5, box.top + 12), 'text-anchor': isLeft ? 'start' : 'end' },
        'deadline ' + plainNumber(deadline) + ' ' + this.study.unit);
      if (target && target <= this.range.to) {
        const met = this.x.place(target);
        draw(parent, 'path', { d: `M${met},${at}V${box.bottom}`, class: 'limit' });
        const words = countOf(this.study, target);
        const lines = met + 8 * words.length > box.right ? words.split(' ') : [words];  // Two narrow ones at the edge.
        const isRight = met + 8 * Math.max(...lines.map((line) => line.length)) > box.right;
        const isLow = at > box.bottom - 40;  // There the words of the deadline stand.
        const y = (isLow ? at - 24 : box.bottom - 6) - 14 * (lines.length - 1);
        for (const [i, line] of lines.entries()) {
          draw(parent, 'text', { x: met + (isRight ? -5 : 5), y: y + 14 * i, 'text-anchor': isRight ? 'end' : 'start' }, line);
        }
      }
    }
    if (budget) {
      const hours = this.study.hours_per_unit;
      const { from, to } = this.range;
      const places = Array.from({ length: 61 }, (_, i) => from * Math.pow(to / from, i / 60))
        .map((x) => [this.x.place(x), this.y.place(budget / (hours * x))]);
      draw(parent, 'path', { d: pathOf(places), class: 'limit', id: 'chart-budget' });
      const seen = places.find(([x, y]) => y > box.top + 24 && x > box.left + 4);
      const isLate = seen && seen[0] > box.right - 150;
      if (seen) draw(parent, 'text', { x: seen[0] + (isLate ? -8 : 8), y: seen[1] - 8, 'text-anchor': isLate ? 'end' : 'start' }, 'budget ' + plainNumber(budget) + (budget === 1 ? ' GPU-hour' : ' GPU-hours'));
    }
  }

  // The scale that is asked for: a slider that pointers drag and keys move.
  drawHandle(svg, box) {
    const { x, group } = this.state;
    const at = this.x.place(x);
    const value = predict(group.time, x, this.study);
    const [least, greatest] = slideEnds(group.time);
    const within = (to) => Math.max(least, Math.min(greatest, Math.round(to)));
    this.handle = draw(svg, 'g', { role: 'slider', tabindex: 0, id: 'chart-handle', 'aria-label': this.study.x,
      'aria-valuemin': Math.min(least, x), 'aria-valuemax': Math.max(greatest, x), 'aria-valuenow': x,
      'aria-valuetext': countOf(this.study, x) + (value ? ': ' + numberText(value.median) + ' ' + this.study.unit : '') });
    draw(this.handle, 'circle', { cx: at, cy: value ? Math.min(box.bottom, Math.max(box.top, this.y.place(value.median))) : box.top, r: 9 });
    draw(this.handle, 'rect', { x: at - 14, y: box.top, width: 28, height: box.bottom - box.top, class: 'grip' });
    const toX = (event) => {
      const left = this.frame.firstChild.getBoundingClientRect().left;
      const inside = Math.min(this.box.right, Math.max(this.box.left, event.clientX - left));
      return within(this.x.valueAt(inside));  // The axis grows with x.
    };
    const move = (event) => this.change({ x: toX(event) });
    const stop = () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', stop);
      window.removeEventListener('pointercancel', stop);
    };
    svg.addEventListener('pointerdown', (event) => {
      event.preventDefault();
      this.handle.focus({ focusVisible: false });
      window.addEventListener('pointermove', move);
      window.addEventListener('pointerup', stop);
      window.addEventListener('pointercancel', stop);
      move(event);
    });
    this.handle.addEventListener('keydown', (event) => {
      const next = { ArrowRight: x + 1, ArrowUp: x + 1, ArrowLeft: x - 1, ArrowDown: x - 1, PageUp: 2 * x,
        PageDown: x / 2, Home: least, End: greatest }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      this.change({ x: within(next) });
    });
  }

  drawLegend() {
    const { group, other, alone } = this.state;
    const groups = [...this.shown, ...[group, other].filter((one) => one && !this.shown.includes(one))];
    if (groups.length < 2) return;
    const focused = Array.from(this.legend.children).indexOf(document.activeElement);
    this.legend.replaceChildren(...groups.map((one) => {
      const { colour, shape, open, dash } = this.styleOf(one);
      const isAlone = alone && one === group;
      const button = make('button', null, { type: 'button', 'aria-pressed': isAlone, title: one.name + (isAlone ? ': show all again' : ': show it alone'),
        class: alone && one !== group && one !== other ? 'faint' : '' });
      button.style.color = colour;
      const swatch = draw(button, 'svg', { viewBox: '0 0 34 14', width: 34, height: 14, 'aria-hidden': true });
      draw(swatch, 'path', { d: 'M0,7H34', class: 'line', 'stroke-dasharray': dash });
      draw(swatch, 'path', { d: shape, transform: 'translate(17,7)', class: open ? 'mark open' : 'mark' });
      button.append(make('span', one.short || one.name));
      button.addEventListener('click', () => this.change(isAlone ? { alone: false } : { group: one, alone: true }));
      return button;
    }));
    if (focused >= 0) this.legend.children[focused].focus();
  }
}
