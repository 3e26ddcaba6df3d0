/* Says in words what is chosen, and leads to its source line. */
function describe(i) {
  const text = texts[span.text[i]], by = texts[span.by[i]], kind = span.kind[i];
  const what = {
    [NEW]: "not begun",
    [READY]: text ? `ready again after ${text}` : "ready",
    [RUN]: "runs",
    [WAIT]: `waits for ${text || "nothing"}`,
    [ENDED]: `has ended: ${text}`,
    [FAILED]: `has failed: ${text}`,
  }[kind];
  const from = timeAt(span.first[i]), to = timeAt(span.last[i]);
  const when = `${timeText(from)} to ${timeText(to)} (${timeText(to - from)}), events ${span.first[i]} to ${span.last[i]}`;
  const woken = !by ? "" : kind === WAIT ? `, until woken by ${by}` : `, made ready by ${by}`;
  return { name: names[span.row[i]], what: what + woken, when, place: texts[span.place[i]], kind };
}

function choose(i) {
  chosen = i;
  const said = describe(i);
  chosenText.textContent = "";
  const strong = document.createElement("strong");
  strong.textContent = said.name;
  chosenText.append(strong, ` ${said.what}. ${said.when}. `);
  if (said.place) chosenText.append(said.kind === RUN ? "Went on from " : said.kind === FAILED ? "Thrown at " : "Suspended at ", placeLink(said.place));
  drawSoon();
}

const known = new Set([...document.querySelectorAll(".source")].map(element => element.dataset.path));

function placeLink(place) {
  if (!known.has(place.slice(0, place.lastIndexOf(":")))) return place;
  const link = document.createElement("a");
  link.href = `#${encodeURI(place)}`;
  link.textContent = place;
  link.addEventListener("click", event => { event.preventDefault(); showLine(place); });
  return link;
}

function showLine(place) {
  const line = document.getElementById(place);
  if (!line) return;
  document.querySelectorAll(".source .here").forEach(old => old.classList.remove("here"));
  line.closest("details").open = true;
  line.classList.add("here");
  line.scrollIntoView({ block: "center" });
  line.parentElement.focus({ preventScroll: true });
}

/* Moves the view so that the span is in it. */
function reveal(i) {
  const from = position(span.first[i]), to = position(span.last[i]), size = view.to - view.from;
  if (to < view.from || from > view.to) look((from + to) / 2 - size / 2, (from + to) / 2 + size / 2);
  const top = laneOf[span.row[i]] * ROW, room = height - AXIS - bottom();
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + ROW > frame.scrollTop + room) frame.scrollTop = top + ROW - room;
}

function step(laneChange, spanChange) {
  const lane = chosen < 0 ? 0 : Math.min(lanes.length - 1, Math.max(0, laneOf[span.row[chosen]] + laneChange));
  const members = lanes[lane];
  let i = chosen;
  if (i < 0) {
    i = 0;
  } else if (laneChange !== 0) {
    const row = members[memberAt(lane, span.first[chosen] + 1)];
    i = Math.min(spanAfter(row, span.first[chosen] + 1), firstSpan[row + 1] - 1);
  } else if (Math.abs(spanChange) > 1) {
    i = spanChange < 0 ? firstSpan[members[0]] : firstSpan[members.at(-1) + 1] - 1;
  } else { // at the end of a coroutine, on to the next in this line
    const at = memberAt(lane, endOf(span.row[i])), row = span.row[i];
    i += spanChange;
    if (i < firstSpan[row]) i = at > 0 ? firstSpan[members[at - 1] + 1] - 1 : firstSpan[row];
    else if (i >= firstSpan[row + 1]) i = at + 1 < members.length ? firstSpan[members[at + 1]] : firstSpan[row + 1] - 1;
  }
  choose(i);
  reveal(i);
}

function share(on) {
  shared = on;
  document.getElementById("share").setAttribute("aria-pressed", String(on));
  arrange();
  resize();
  if (chosen >= 0) reveal(chosen);
}
