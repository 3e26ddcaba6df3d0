/* What the page was given: events are numbered; a stretch ("span") goes from one event to another. The
 * files of this folder are one script, in the order that page.py says.
 */
const source = document.getElementById("data");
const canvas = document.getElementById("chart");
if (!canvas) return;
const data = JSON.parse(source.textContent);
const frame = document.getElementById("frame");
const spacer = document.getElementById("spacer");
const tip = document.getElementById("tip");
const chosenText = document.getElementById("chosen");
const pen = canvas.getContext("2d");

const [NEW, READY, RUN, WAIT, ENDED, FAILED] = [0, 1, 2, 3, 4, 5];
const ROW = 26, AXIS = 24, CHART = 34, GAP = 8, MOST_ARROWS = 1200, PAGE = 200, MANY_ROWS = 40;

const { span, wake, texts, names } = data;
const times = new Float64Array(data.times.length);
let sum = 0;
data.times.forEach((step, i) => { times[i] = sum += step; });
const events = times.length, rows = names.length;
const begin = times[0];
const longest = times[events - 1] - begin || 1;

/* Of each row, where its spans begin in the list. */
const firstSpan = new Int32Array(rows + 1);
for (const row of span.row) firstSpan[row + 1]++;
for (let row = 0; row < rows; row++) firstSpan[row + 1] += firstSpan[row];

const endOf = row => span.last[firstSpan[row + 1] - 1];

/* Who is shown in which line: each in one of its own, or those of one name in the first that is free. */
const laneOf = new Int32Array(rows);
let lanes = [], shared = rows > MANY_ROWS;
function arrange() {
  const byName = new Map();
  lanes = [];
  for (let row = 0; row < rows; row++) {
    const name = names[row].replace(/ #\d+$/, "");
    const own = byName.get(name) || byName.set(name, []).get(name);
    let lane = shared ? own.find(lane => endOf(lanes[lane].at(-1)) <= data.created[row]) : undefined;
    if (lane === undefined) {
      lane = lanes.push([]) - 1;
      own.push(lane);
    }
    lanes[lane].push(row);
    laneOf[row] = lane;
  }
}
const laneName = lane => lanes[lane].length === 1 ? names[lanes[lane][0]] : `${names[lanes[lane][0]].replace(/ #\d+$/, "")} × ${lanes[lane].length}`;

/* Of those in a line, the place of the first that ends at or after the event. */
function memberAt(lane, event) {
  const members = lanes[lane];
  let low = 0, high = members.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(members[middle]) < event) low = middle + 1; else high = middle;
  }
  return low;
}

const timeText = ns => {
  for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "µs"]]) {
    if (Math.abs(ns) >= size) return `${+(ns / size).toPrecision(4)} ${unit}`;
  }
  return ns === 0 ? "0" : `${Math.round(ns)} ns`;
};
const timeAt = event => times[Math.min(event, events - 1)] - begin;
