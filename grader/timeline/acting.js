/* Pointer, keys, buttons. */
/* The span at a place of the canvas: a narrow one before a wide one. */
function spanAt(px, py) {
  if (px < margin || py < AXIS || py > height - bottom()) return -1;
  const lane = Math.floor((py - AXIS + frame.scrollTop) / ROW);
  if (lane < 0 || lane >= lanes.length) return -1;
  let best = -1, narrowest = Infinity;
  const start = eventAt(atPixel(px - 4)) - 1, members = lanes[lane];
  for (let at = memberAt(lane, start); at < members.length && x(data.created[members[at]]) <= px + 2; at++) {
    for (let i = spanAfter(members[at], start); i < firstSpan[members[at] + 1]; i++) {
      const from = x(span.first[i]), to = Math.max(x(span.last[i]), from + 3);
      if (from > px + 2) break;
      if (to >= px - 2 && to - from < narrowest) [best, narrowest] = [i, to - from];
    }
  }
  return best;
}

function showTip(event) {
  const box = canvas.getBoundingClientRect();
  const i = spanAt(event.clientX - box.left, event.clientY - box.top);
  pointed = i;
  tip.hidden = i < 0;
  if (i < 0) return;
  const said = describe(i);
  tip.textContent = [`${said.name} ${said.what}`, said.place, said.when].filter(Boolean).join("\n");
  const { offsetWidth, offsetHeight } = tip;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, window.innerWidth - offsetWidth - 4))}px`;
  tip.style.top = `${event.clientY + 18 + offsetHeight > window.innerHeight ? event.clientY - offsetHeight - 12 : event.clientY + 18}px`;
}

const pointers = new Map();
let moved = 0;

canvas.addEventListener("pointerdown", event => {
  pointers.set(event.pointerId, event.clientX);
  canvas.setPointerCapture(event.pointerId);
  moved = 0;
});
canvas.addEventListener("pointermove", event => {
  if (!pointers.has(event.pointerId)) {
    showTip(event);
    return;
  }
  const before = pointers.get(event.pointerId), left = canvas.getBoundingClientRect().left;
  const unit = (view.to - view.from) / (width - margin);
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const factor = Math.abs(before - other) / Math.max(8, Math.abs(event.clientX - other));
    zoom(factor, atPixel(other - left));
  } else {
    look(view.from - (event.clientX - before) * unit, view.to - (event.clientX - before) * unit);
  }
  moved += Math.abs(event.clientX - before);
  pointers.set(event.pointerId, event.clientX);
  tip.hidden = true;
});
for (const kind of ["pointerup", "pointercancel"]) {
  canvas.addEventListener(kind, event => {
    pointers.delete(event.pointerId);
    if (kind === "pointerup" && moved < 5) {
      const box = canvas.getBoundingClientRect();
      const i = spanAt(event.clientX - box.left, event.clientY - box.top);
      if (i >= 0) choose(i);
    }
  });
}
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("dblclick", event => zoom(0.4, atPixel(event.clientX - canvas.getBoundingClientRect().left)));
canvas.addEventListener("wheel", event => {
  const across = event.shiftKey ? event.deltaY : event.deltaX;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0022), atPixel(event.clientX - canvas.getBoundingClientRect().left));
  } else if (Math.abs(across) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
    event.preventDefault();
    pan(across / width);
  }
}, { passive: false });

const keys = {
  ArrowLeft: () => step(0, -1), ArrowRight: () => step(0, 1), ArrowUp: () => step(-1, 0), ArrowDown: () => step(1, 0),
  PageUp: () => step(-10, 0), PageDown: () => step(10, 0), Home: () => step(0, -1e9), End: () => step(0, 1e9),
  "+": () => zoom(0.5, middle()), "=": () => zoom(0.5, middle()), "-": () => zoom(2, middle()), 0: fit,
  a: () => pan(-0.25), d: () => pan(0.25), m: () => setAxis(!stepwise), s: () => share(!shared),
  Enter: () => { if (chosen >= 0) showLine(texts[span.place[chosen]]); },
  Escape: () => { tip.hidden = true; },
};
/* What is chosen stays in view. */
function middle() {
  const at = chosen < 0 ? -1 : position(span.first[chosen]);
  return at >= view.from && at <= view.to ? at : (view.from + view.to) / 2;
}
canvas.addEventListener("keydown", event => {
  const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

const on = (id, act) => document.getElementById(id).addEventListener("click", act);
on("zoom-in", () => zoom(0.5, middle()));
on("zoom-out", () => zoom(2, middle()));
on("left", () => pan(-0.25));
on("right", () => pan(0.25));
on("fit", fit);
on("by-time", () => setAxis(false));
on("by-event", () => setAxis(true));
on("share", () => share(!shared));
