/* Which part is shown, on which axis, and where it is on the canvas. */
let stepwise = data.stepwise;
const view = { from: 0, to: 1 }; // in events or nanoseconds
let chosen = -1, pointed = -1; // spans
let width = 0, height = 0, margin = 0;

const position = event => stepwise ? event : timeAt(event);
const end = () => stepwise ? events : longest * 1.01;
const pixel = x => margin + (x - view.from) / (view.to - view.from) * (width - margin);
const x = event => pixel(position(event));
const atPixel = px => view.from + (px - margin) / (width - margin) * (view.to - view.from);
const laneTop = lane => AXIS + lane * ROW - frame.scrollTop;
const rowTop = row => laneTop(laneOf[row]);
const bottom = () => 2 * (CHART + GAP);

function look(from, to) {
  const smallest = stepwise ? 4 : Math.max(10, longest * 1e-9);
  let size = Math.min(Math.max(to - from, smallest), end());
  from = Math.min(Math.max(from, 0), end() - size);
  view.from = from;
  view.to = from + size;
  canvas.dataset.from = from;
  canvas.dataset.to = view.to;
  drawSoon();
}
const zoom = (factor, middle = (view.from + view.to) / 2) =>
  look(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
const pan = part => look(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));
const fit = () => look(0, end());

/* The same events, as far as possible, on the other axis. */
function setAxis(byEvent) {
  const from = eventAt(view.from), to = eventAt(view.to) + 1;
  const whole = view.from === 0 && view.to === end();
  stepwise = byEvent;
  document.getElementById("by-time").setAttribute("aria-pressed", String(!byEvent));
  document.getElementById("by-event").setAttribute("aria-pressed", String(byEvent));
  if (whole) fit(); else look(position(from), position(to));
}

/* The number of the first event at or after this position. */
function eventAt(where) {
  if (stepwise) return Math.min(events - 1, Math.max(0, Math.floor(where)));
  let low = 0, high = events - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] - begin < where) low = middle + 1; else high = middle;
  }
  return low;
}
