/* Draws only what can be seen, so that a hundred thousand events are no more work than ten. */
let colour = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["paper", "sheet", "ink", "soft", "line", "run", "ready", "wait", "failed", "ended", "wake", "chosen"]) {
    colour[name] = style.getPropertyValue(`--${name}`).trim();
  }
  drawSoon();
}

let waiting = false;
function drawSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
}

function resize() {
  width = frame.clientWidth;
  const whole = AXIS + lanes.length * ROW + bottom();
  height = Math.min(whole, Math.max(220, Math.round(window.innerHeight * 0.66)));
  frame.style.height = `${height + 2}px`;
  spacer.style.height = `${whole}px`;
  width = frame.clientWidth;
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = "13px system-ui, sans-serif";
  const widest = lanes.slice(0, 500).reduce((most, _, lane) => Math.max(most, pen.measureText(laneName(lane)).width), 78);
  margin = Math.ceil(Math.min(widest + 18, width * 0.3));
  drawSoon();
}

function shortened(text, room) {
  if (pen.measureText(text).width <= room) return text;
  let keep = Math.floor(text.length * room / pen.measureText(text).width);
  while (keep > 1 && pen.measureText(`${text.slice(0, keep)}…`).width > room) keep--;
  return keep > 1 ? `${text.slice(0, keep)}…` : "";
}

function draw() {
  pen.clearRect(0, 0, width, height);
  pen.textBaseline = "middle";
  drawSteps();
  pen.save();
  pen.beginPath();
  pen.rect(0, AXIS, width, height - AXIS - bottom());
  pen.clip();
  const first = Math.max(0, Math.floor(frame.scrollTop / ROW));
  const last = Math.min(lanes.length - 1, Math.floor((frame.scrollTop + height - bottom() - AXIS) / ROW));
  const wakes = wakesInView(first, last);
  drawWakeLines(wakes);
  for (let lane = first; lane <= last; lane++) drawLane(lane);
  drawWakeHeads(wakes);
  drawNames(first, last);
  pen.restore();
  drawAxis();
  drawCounts("ready queue", data.ready, colour.ready, height - bottom() + GAP / 2);
  drawCounts("timer heap", data.asleep, colour.run, height - CHART - GAP / 2);
}

function drawNames(first, last) {
  pen.fillStyle = colour.sheet;
  pen.fillRect(0, AXIS, margin, height);
  for (let lane = first; lane <= last; lane++) {
    pen.fillStyle = chosen >= 0 && laneOf[span.row[chosen]] === lane ? colour.chosen : colour.soft;
    pen.fillText(shortened(laneName(lane), margin - 14), 8, laneTop(lane) + ROW / 2);
  }
}

/* The first span of the row that ends after `event`. */
function spanAfter(row, event) {
  let low = firstSpan[row], high = firstSpan[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (span.last[middle] < event) low = middle + 1; else high = middle;
  }
  return low;
}

function drawLane(lane) {
  const top = laneTop(lane), members = lanes[lane];
  pen.fillStyle = colour.line;
  pen.globalAlpha = 0.5;
  pen.fillRect(margin, top + ROW - 1, width, 1);
  pen.globalAlpha = 1;
  const filled = [-1, -1, -1, -1, -1, -1]; // how far, by kind: what falls into one pixel is drawn once
  const runs = [];
  const start = eventAt(view.from) - 1;
  for (let at = memberAt(lane, start); at < members.length; at++) {
    const row = members[at];
    if (x(data.created[row]) > width) break;
    for (let i = spanAfter(row, start); i < firstSpan[row + 1]; i++) {
      const from = Math.max(x(span.first[i]), margin - 5);
      if (from > width) break;
      const to = Math.min(x(span.last[i]), width + 5);
      const kind = span.kind[i];
      if (to < filled[kind] && i !== chosen) continue;
      filled[kind] = Math.floor(to) + 1;
      if (kind === RUN || kind === FAILED) runs.push([i, from, to]);
      else drawSpan(i, kind, from, to, top);
    }
  }
  for (const [i, from, to] of runs) drawSpan(i, span.kind[i], from, to, top);
}

function drawSpan(i, kind, from, to, top) {
  const long = Math.max(to - from, 1);
  if (kind === RUN) {
    pen.fillStyle = colour.run;
    pen.fillRect(from, top + 4, Math.max(long, 2.5), ROW - 9);
  } else if (kind === READY) {
    pen.fillStyle = colour.ready;
    pen.fillRect(from, top + 8, long, ROW - 17);
  } else if (kind === WAIT) {
    pen.fillStyle = colour.wait;
    pen.fillRect(from, top + ROW / 2 - 1, long, 2);
  } else if (kind === FAILED) {
    pen.fillStyle = colour.failed;
    pen.fillRect(from, top + 4, 5, ROW - 9);
  } else if (kind === NEW || kind === ENDED) {
    pen.fillStyle = colour.ended;
    pen.fillRect(from, top + ROW / 2 - 0.5, long, 1);
  }
  if (kind !== RUN && kind !== NEW && long > 46) drawLabel(i, kind, from, to, top);
  if (i === chosen) {
    pen.strokeStyle = colour.chosen;
    pen.lineWidth = 2;
    pen.strokeRect(from - 1, top + 2, Math.max(long, 4) + 2, ROW - 5);
  }
}

function drawLabel(i, kind, from, to, top) {
  const left = Math.max(from, margin) + (kind === FAILED ? 9 : 7);
  const place = texts[span.place[i]].split("/").pop();
  const whole = [texts[span.text[i]], place].filter(Boolean).join(" · ");
  const text = shortened(whole, Math.min(to, width) - left - 5);
  if (text.length < 4 && text !== whole) return;
  if (kind !== READY) {
    pen.fillStyle = colour.sheet;
    pen.fillRect(left - 3, top + 4, pen.measureText(text).width + 6, ROW - 9);
  }
  pen.fillStyle = kind === READY ? "#1c1400" : kind === FAILED ? colour.failed : colour.soft;
  pen.fillText(text, left, top + ROW / 2);
}

/* The first wake at or after the event. */
function wakeAt(event) {
  let low = 0, high = wake.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wake.at[middle] < event) low = middle + 1; else high = middle;
  }
  return low;
}

/* The arrows that cross these lines; none if they are too many to be told apart. */
function wakesInView(first, last) {
  const from = wakeAt(eventAt(view.from) - 1), to = wakeAt(eventAt(view.to) + 1);
  const found = [];
  for (let i = from; i < to && to - from <= MOST_ARROWS; i++) {
    const px = x(wake.at[i]), target = laneOf[wake.to[i]];
    const by = wake.by[i] < 0 ? target : laneOf[wake.by[i]];
    if (wake.by[i] === wake.to[i] || px < margin || Math.max(by, target) < first || Math.min(by, target) > last) continue;
    found.push({ px, outside: wake.by[i] < 0, down: target >= by, tail: laneTop(by) + ROW / 2, top: laneTop(target) });
  }
  return found;
}

function drawWakeLines(wakes) {
  pen.strokeStyle = colour.wake;
  pen.lineWidth = 1;
  pen.globalAlpha = wakes.length > 40 ? 0.4 : 0.9;
  pen.beginPath();
  for (const { px, outside, down, tail, top } of wakes) {
    if (outside) continue;
    pen.moveTo(px, tail);
    pen.lineTo(px, down ? top + 5 : top + ROW - 6);
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

function drawWakeHeads(wakes) {
  pen.fillStyle = colour.wake;
  for (const { px, outside, down, top } of wakes) {
    const half = outside ? 2.5 : 3.5, tip = outside ? top + 5 : down ? top + 6 : top + ROW - 7;
    const back = tip + (outside ? -4 : down ? -6 : 6);
    pen.beginPath();
    pen.moveTo(px, tip);
    pen.lineTo(px - half, back);
    pen.lineTo(px + half, back);
    pen.fill();
  }
}

/* What the test says, as lines from top to bottom. */
function drawSteps() {
  pen.fillStyle = colour.line;
  let before = -9;
  for (const [at] of data.steps) {
    const px = x(at);
    if (px >= margin && px <= width && px > before + 3) {
      pen.fillRect(px, AXIS, 1, height - AXIS);
      before = px;
    }
  }
}

function drawAxis() {
  pen.fillStyle = colour.sheet;
  pen.fillRect(0, 0, width, AXIS);
  pen.fillStyle = colour.soft;
  pen.fillText(stepwise ? "event" : data.virtual ? "virtual time" : "time", 8, AXIS / 2, margin - 10);
  const least = (view.to - view.from) / Math.max(2, (width - margin) / 90);
  const power = 10 ** Math.floor(Math.log10(least));
  let tick = [1, 2, 5, 10].map(n => n * power).find(n => n >= least);
  if (stepwise) tick = Math.max(1, Math.round(tick));
  for (let at = Math.ceil(view.from / tick) * tick; at < view.to; at += tick) {
    const px = pixel(at);
    pen.fillStyle = colour.line;
    pen.fillRect(px, AXIS - 6, 1, 6);
    pen.fillStyle = colour.soft;
    const text = stepwise ? String(at) : timeText(at);
    if (px + 4 + pen.measureText(text).width < width) pen.fillText(text, px + 4, AXIS / 2);
  }
  pen.fillStyle = colour.line;
  pen.fillRect(0, AXIS - 1, width, 1);
}

const most = counts => { let top = 0; for (const count of counts) if (count > top) top = count; return top; };
const mostOf = new Map([[data.ready, most(data.ready)], [data.asleep, most(data.asleep)]]);

function drawCounts(label, counts, fill, top) {
  const scale = (CHART - 4) / Math.max(1, mostOf.get(counts));
  pen.fillStyle = colour.sheet;
  pen.fillRect(0, top - GAP / 2, width, CHART + GAP);
  pen.fillStyle = colour.line;
  pen.fillRect(0, top + CHART, width, 1);
  pen.fillStyle = fill;
  const first = Math.max(0, eventAt(view.from) - 1), last = Math.min(events - 1, eventAt(view.to) + 1);
  const bar = (from, to, count) => {
    from = Math.max(margin, Math.round(from));
    to = Math.min(width, Math.round(to));
    if (count > 0 && to > from) pen.fillRect(from, top + CHART - count * scale, to - from, count * scale);
  };
  let column = -1, highest = 0; // of what falls into one column of pixels, the highest
  for (let event = first; event <= last; event++) {
    const from = x(event), to = x(event + 1);
    if (Math.round(from) !== column) {
      bar(column, column + 1, highest);
      column = Math.round(from);
      highest = 0;
    }
    highest = Math.max(highest, counts[event]);
    bar(column + 1, to, counts[event]);
  }
  bar(column, column + 1, highest);
  pen.fillStyle = colour.sheet;
  pen.fillRect(0, top - GAP / 2, margin, CHART + GAP - 1);
  pen.fillStyle = colour.soft;
  pen.fillText(shortened(label, margin - 12), 8, top + CHART / 2 - 7);
  pen.fillText(`most ${mostOf.get(counts)}`, 8, top + CHART / 2 + 8, margin - 12);
}
