/* Tables, made when they are opened, a page at a time; then it begins. */
function table(id, count, fill) {
  const view = document.getElementById(`${id}-view`);
  const body = view.querySelector("tbody"), bar = view.querySelector(".pages");
  const pages = Math.ceil(count / PAGE);
  function show(page) {
    body.textContent = "";
    for (let i = page * PAGE; i < Math.min(count, (page + 1) * PAGE); i++) body.append(fill(i));
    bar.textContent = "";
    if (pages < 2) return;
    const go = (text, to, off) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.disabled = off;
      button.addEventListener("click", () => show(to));
      return button;
    };
    bar.append(go("Earlier", page - 1, page === 0), `Page ${page + 1} of ${pages}`, go("Later", page + 1, page === pages - 1));
  }
  view.addEventListener("toggle", () => { if (view.open && !body.firstChild) show(0); });
}

function tableRow(cells, heading) {
  const row = document.createElement("tr");
  cells.forEach(([content, name], i) => {
    const cell = document.createElement(i === heading ? "th" : "td");
    if (i === heading) cell.scope = "row";
    if (name) cell.className = name;
    cell.append(content);
    row.append(cell);
  });
  return row;
}

function fate(row) {
  const last = firstSpan[row + 1] - 1;
  const said = describe(last);
  return data.gone[row] >= 0 && span.kind[last] !== ENDED && span.kind[last] !== FAILED ? `destroyed: ${said.what}` : said.what;
}

table("coroutines", rows, row => tableRow([
  [names[row]], [timeText(timeAt(data.created[row]))], [String(data.runs[row]), "number"], [fate(row)],
], 0));

const stepAt = new Map(data.steps);
table("events", events, event => {
  const row = data.lines.row[event], text = texts[data.lines.text[event]];
  const place = / at (\S+:\d+)$/.exec(text);
  const what = document.createElement("span");
  what.append(place ? text.slice(0, place.index + 4) : text);
  if (place) what.append(placeLink(place[1]));
  const line = tableRow([
    [timeText(timeAt(event)), "number"], [row < 0 ? "(the test)" : names[row]], [what],
    [String(data.ready[event]), "number"], [String(data.asleep[event]), "number"],
  ], 1);
  if (stepAt.has(event)) line.className = "step";
  return line;
});

frame.addEventListener("scroll", drawSoon);
window.addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);
readColours();
share(shared);
setAxis(stepwise);
fit();
