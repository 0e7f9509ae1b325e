// Shows shared runs. The data are scripts that call trainyard.index, .run and .tile, because a page opened from a disk may
// not fetch files. Everything that comes from a run is put into the page as text.
"use strict";

const kColours = ["#2f6fd0", "#c8562c", "#2c8a57", "#8b55b8", "#b8860b", "#c2437e", "#3d8ea3", "#7a7f87"];
const kMostTiles = 16;     // with more in view the overview is fine enough
const kFewPoints = 40;     // of which each is a measurement of its own, and none is noise
const kLookMs = 2000;      // between two looks for news
const kMargin = { left: 62, right: 8, top: 8, bottom: 22 };

const state = {
  index: null,
  curves: [],        // of each run: name -> overview
  tiles: new Map(),  // "run-curve-tile" -> {x, y}, or "asked"
  hidden: new Set(), // runs that are not drawn
  zoom: null,        // [from, to] in steps; null = everything
  cursor: null,      // a step
  charts: new Map(), // name -> chart
};

const element = (tag, attributes = {}, text = "") => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== "") made.textContent = text;
  return made;
};
const byId = (id) => document.getElementById(id);
const colourOf = (run) => kColours[run % kColours.length];

const trainyard = {
  index(index) {
    if (state.index && state.index.version === index.version) return;
    if (state.index) forgetOldTiles(index);
    state.index = index;
    index.runs.forEach((run, number) => load(`data/${number}.js`));
    showStatus();
    showRuns();
    showDetails();
  },
  run(number, curves) {
    state.curves[number] = curves;
    makeCharts();
    drawAll();
  },
  tile(run, curve, tile, [x, y]) {
    state.tiles.set(`${run}-${curve}-${tile}`, { x, y });
    drawSoon();
  },
};
window.trainyard = trainyard;

function load(file) {
  const script = element("script", { src: `${file}?v=${state.index ? state.index.version : Date.now()}` });
  script.onload = script.onerror = () => script.remove();
  document.head.append(script);
}

// ---- numbers and times ----

function text(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(3);
  return Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(5)).toLocaleString("en", { maximumFractionDigits: 6 });
}

function ticks(from, to, wanted) {
  const raw = (to - from) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
  const list = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + step * 1e-9; tick += step) list.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
  return list;
}

// ---- what is drawn ----

/// First index whose value is not below x; values ascend.
function lowerBound(values, x) {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

/// The tiles of a curve in view if they are few and all there; asks for those that are missing.
function tilesInView(run, curve, view) {
  const starts = curve.tiles;
  if (starts.length === 0) return null;
  const first = Math.max(0, lowerBound(starts, view[0]) - 1);
  const behind = lowerBound(starts, view[1]) + 1;
  const last = Math.min(starts.length, behind);
  if (last - first > kMostTiles) return null;
  const points = { x: [], min: [], stride: 1 };
  let complete = true;
  for (let tile = first; tile < last; ++tile) {
    const key = `${run}-${curve.number}-${tile}`;
    const loaded = state.tiles.get(key);
    if (loaded === undefined) {
      state.tiles.set(key, "asked");
      load(`data/${key}.js`);
    }
    if (!loaded || loaded === "asked") complete = false;
    else { points.x = points.x.concat(loaded.x); points.min = points.min.concat(loaded.y); }
  }
  return complete ? points : null;
}

/// The last tile of a growing curve has new points with every version; a run that went back has others in all of them.
function forgetOldTiles(index) {
  state.index.runs.forEach((run, number) => {
    const now = index.runs[number];
    const wentBack = !now || now.step < run.step;
    for (const curve of run.curves)
      for (let tile = wentBack ? 0 : Math.max(0, curve.tiles.length - 1); tile < curve.tiles.length; ++tile)
        state.tiles.delete(`${number}-${curve.number}-${tile}`);
  });
}

function pointsOf(run, curve, view) {
  return tilesInView(run, curve, view) || (state.curves[run] || {})[curve.name];
}

function isNoisy(name, points) {
  return points.x.length > kFewPoints && name !== "learning_rate" && !name.startsWith("consumed/");
}

function smoothed(points, weight) {
  let sum = 0, norm = 0;
  return points.x.map((_, i) => {
    const value = points.max ? (points.min[i] + points.max[i]) / 2 : points.min[i];
    if (!Number.isFinite(value)) return value;
    sum = sum * weight + (1 - weight) * value;
    norm = norm * weight + (1 - weight);
    return sum / norm;
  });
}

function curveNames() {
  const names = new Set();
  if (state.index) for (const run of state.index.runs) for (const curve of run.curves) names.add(curve.name);
  const first = (name) => (name === "loss" ? 0 : name.startsWith("held_out/") ? 1 : name.startsWith("time/") ? 3 : 2);
  return [...names].sort((a, b) => first(a) - first(b) || a.localeCompare(b));
}

function wholeView() {
  let from = Infinity, to = -Infinity;
  state.curves.forEach((curves, run) => {
    if (state.hidden.has(run)) return;
    for (const curve of Object.values(curves))
      if (curve.x.length > 0) { from = Math.min(from, curve.x[0]); to = Math.max(to, curve.x[curve.x.length - 1]); }
  });
  return from < to ? [from, to] : [from === Infinity ? 0 : from - 0.5, from === Infinity ? 1 : from + 0.5];
}

class Chart {
  constructor(name) {
    this.name = name;
    this.figure = element("figure", { class: "panel" });
    const caption = element("figcaption");
    caption.append(element("span", {}, name.replaceAll("_", " ")));
    this.readOut = element("span", { class: "muted" });
    caption.append(this.readOut);
    this.canvas = element("canvas", { tabindex: "0", role: "img" });
    this.figure.append(caption, this.canvas);
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointermove", (event) => { state.cursor = this.stepAt(event.offsetX); this.dragTo = event.offsetX; drawSoon(); });
    canvas.addEventListener("pointerleave", () => { state.cursor = null; drawSoon(); });
    canvas.addEventListener("pointerdown", (event) => { this.dragFrom = this.dragTo = event.offsetX; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", () => this.endDrag());
    canvas.addEventListener("dblclick", () => zoomTo(null));
    canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    const [from, to] = state.zoom || wholeView();
    const shift = (to - from) / 4;
    if (event.key === "0" || event.key === "Escape") zoomTo(null);
    else if (event.key === "+") zoomTo([from + shift / 2, to - shift / 2]);
    else if (event.key === "-") zoomTo([from - shift, to + shift]);
    else if (event.key === "ArrowLeft") zoomTo([from - shift, to - shift]);
    else if (event.key === "ArrowRight") zoomTo([from + shift, to + shift]);
    else return;
    event.preventDefault();
  }

  endDrag() {
    const from = this.dragFrom, to = this.dragTo;
    this.dragFrom = undefined;
    if (from !== undefined && Math.abs(to - from) > 5) zoomTo([this.stepAt(Math.min(from, to)), this.stepAt(Math.max(from, to))]);
    else drawSoon();
  }

  stepAt(pixel) {
    const [from, to] = this.view || [0, 1];
    const width = this.canvas.clientWidth - kMargin.left - kMargin.right;
    return from + ((pixel - kMargin.left) / width) * (to - from);
  }

  /// What each run has in view: its points, and the smoothed line where that is on.
  collect(weight) {
    const lines = [];
    state.index.runs.forEach((run, number) => {
      const curve = run.curves.find((candidate) => candidate.name === this.name);
      if (!curve || state.hidden.has(number)) return;
      const points = pointsOf(number, curve, this.view);
      if (points && points.x.length > 0) lines.push({ number, points, line: weight > 0 && isNoisy(this.name, points) ? smoothed(points, weight) : null });
    });
    return lines;
  }

  range(lines, logarithmic) {
    let low = Infinity, high = -Infinity;
    for (const { points } of lines) {
      const from = lowerBound(points.x, this.view[0]), to = lowerBound(points.x, this.view[1]) + 1;
      for (let i = Math.max(0, from - 1); i < Math.min(points.x.length, to); ++i)
        for (const value of points.max ? [points.min[i], points.max[i]] : [points.min[i]])
          if (Number.isFinite(value) && (!logarithmic || value > 0)) { low = Math.min(low, value); high = Math.max(high, value); }
    }
    if (low > high) return [logarithmic ? 0.1 : 0, 1];
    const room = high > low ? (high - low) * 0.05 : Math.abs(high) * 0.05 || 1;
    return logarithmic ? [low / 1.1, high * 1.1] : [low - room, high + room];
  }

  draw() {
    const canvas = this.canvas, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    this.view = state.zoom || wholeView();
    const logarithmic = byId("logarithmic").checked;
    const lines = this.collect(byId("smoothing").value / 100);
    const range = this.range(lines, logarithmic);
    const scale = (value) => (logarithmic ? Math.log(value) : value);
    const px = (x) => kMargin.left + ((x - this.view[0]) / (this.view[1] - this.view[0])) * (width - kMargin.left - kMargin.right);
    const py = (y) => height - kMargin.bottom - ((scale(y) - scale(range[0])) / (scale(range[1]) - scale(range[0]))) * (height - kMargin.top - kMargin.bottom);
    this.drawAxes(context, px, py, range, logarithmic, width, height);
    context.save();
    context.beginPath();
    context.rect(kMargin.left, kMargin.top, width - kMargin.left - kMargin.right, height - kMargin.top - kMargin.bottom);
    context.clip();
    for (const line of lines) this.drawLine(context, px, py, line);
    this.drawCursor(context, px, height);
    context.restore();
    this.showValues(lines);
  }

  drawAxes(context, px, py, range, logarithmic, width, height) {
    const style = getComputedStyle(document.documentElement);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--muted");
    context.strokeStyle = style.getPropertyValue("--border");
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const positions = logarithmic ? ticks(Math.log10(range[0]), Math.log10(range[1]), 4).map((power) => 10 ** power) : ticks(range[0], range[1], 4);
    for (const tick of positions) {
      context.beginPath();
      context.moveTo(kMargin.left, py(tick));
      context.lineTo(width - kMargin.right, py(tick));
      context.stroke();
      context.fillText(text(Number(tick.toPrecision(4))), kMargin.left - 6, py(tick));
    }
    context.textAlign = "center";
    for (const tick of ticks(this.view[0], this.view[1], Math.max(2, Math.floor(width / 110))))
      context.fillText(text(tick), Math.min(px(tick), width - 24), height - 9);
  }

  drawLine(context, px, py, { number, points, line }) {
    context.strokeStyle = colourOf(number);
    context.lineWidth = line ? 1 : 1.6;
    context.globalAlpha = line ? 0.3 : 1;
    if (points.max) this.strokeExtremes(context, px, py, points);
    else this.stroke(context, px, py, points.x, points.min);
    context.globalAlpha = 1;
    context.lineWidth = 1.6;
    if (line) this.stroke(context, px, py, points.x, line);
  }

  stroke(context, px, py, x, y) {
    context.beginPath();
    let isDown = false;
    for (let i = 0; i < x.length; ++i) {
      if (!Number.isFinite(y[i])) { isDown = false; continue; }
      if (isDown) context.lineTo(px(x[i]), py(y[i])); else context.moveTo(px(x[i]), py(y[i]));
      isDown = true;
    }
    if (x.length === 1 && isDown) context.arc(px(x[0]), py(y[0]), 2, 0, 7);
    context.stroke();
  }

  strokeExtremes(context, px, py, points) {
    context.beginPath();
    for (let i = 0; i < points.x.length; ++i) {
      if (!Number.isFinite(points.min[i])) continue;
      context.moveTo(px(points.x[i]), py(points.min[i]));
      context.lineTo(px(points.x[i]), py(points.max[i]) - 0.5);
    }
    context.stroke();
  }

  drawCursor(context, px, height) {
    const style = getComputedStyle(document.documentElement);
    if (this.dragFrom !== undefined) {
      context.fillStyle = style.getPropertyValue("--accent");
      context.globalAlpha = 0.15;
      context.fillRect(Math.min(this.dragFrom, this.dragTo), 0, Math.abs(this.dragTo - this.dragFrom), height);
      context.globalAlpha = 1;
    }
    if (state.cursor === null) return;
    context.strokeStyle = style.getPropertyValue("--muted");
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(px(state.cursor), 0);
    context.lineTo(px(state.cursor), height);
    context.stroke();
    context.setLineDash([]);
  }

  showValues(lines) {
    this.readOut.replaceChildren();
    const at = (points) => {
      if (state.cursor === null) return points.x.length - 1;
      const right = Math.min(lowerBound(points.x, state.cursor), points.x.length - 1);
      return right > 0 && state.cursor - points.x[right - 1] < points.x[right] - state.cursor ? right - 1 : right;
    };
    const said = [];
    lines.slice(0, 4).forEach(({ number, points }, i) => {
      const row = at(points);
      if (i === 0) this.readOut.append(`step ${text(points.x[row])}: `);
      const value = points.max && points.max[row] !== points.min[row] ? `${text(points.min[row])} to ${text(points.max[row])}` : text(points.min[row]);
      this.readOut.append(i > 0 ? ", " : "", element("span", { style: `color: ${colourOf(number)}` }, value));
      said.push(`${state.index.runs[number].name} ${value}`);
    });
    this.canvas.setAttribute("aria-label", `${this.name}: ${said.join(", ") || "no values"}`);
  }
}

// ---- the page ----

function zoomTo(view) {
  const whole = wholeView();
  if (view) view = [Math.max(view[0], whole[0]), Math.min(view[1], whole[1])];
  state.zoom = view && view[1] > view[0] && (view[0] > whole[0] || view[1] < whole[1]) ? view : null;
  drawSoon();
}

function makeCharts() {
  for (const name of curveNames())
    if (!state.charts.has(name)) state.charts.set(name, new Chart(name));
  filterCharts();
}

function filterCharts() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = curveNames().filter((name) => words.every((word) => name.toLowerCase().includes(word)));
  byId("charts").replaceChildren(...shown.filter((name) => state.charts.has(name)).map((name) => state.charts.get(name).figure));
  drawSoon();
}

function drawAll() {
  if (!state.index) return;
  for (const chart of state.charts.values()) if (chart.figure.isConnected) chart.draw();
}

let isDue = false;
function drawSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; drawAll(); });
}

function showStatus() {
  const time = new Date(state.index.generated).toLocaleString();
  byId("status").textContent = state.index.live ? `Live, updated ${time}` : `As of ${time}`;
}

function showRuns() {
  const table = element("table");
  const head = element("tr");
  for (const title of ["", "Run", "State", "Step", "Hosts", "Updated"]) head.append(element("th", {}, title));
  table.append(head);
  state.index.runs.forEach((run, number) => table.append(runRow(run, number)));
  const panel = element("div", { class: "panel" });
  panel.append(table);
  byId("runs").replaceChildren(panel);
}

function runRow(run, number) {
  const row = element("tr");
  const choice = element("input", { type: "checkbox", "aria-label": `Show ${run.name}` });
  choice.checked = !state.hidden.has(number);
  choice.addEventListener("change", () => {
    if (choice.checked) state.hidden.delete(number); else state.hidden.add(number);
    drawSoon();
  });
  const first = element("td");
  first.append(choice, " ", element("span", { class: "swatch", style: `background: ${colourOf(number)}` }));
  const name = element("td", { title: run.id }, run.name);
  for (const tag of run.tags) name.append(element("span", { class: "tag" }, tag));
  const steps = run.steps > 0 ? `${text(run.step)} of ${text(run.steps)}` : text(run.step);
  row.append(first, name, element("td", { title: run.reason }, run.state), element("td", {}, steps), element("td", {}, run.hosts),
             element("td", {}, run.updated > 0 ? new Date(run.updated * 1000).toLocaleString() : ""));
  return row;
}

function showDetails() {
  const parts = [];
  const fields = [...new Set(state.index.runs.flatMap((run) => run.settings.map((setting) => setting.field)))];
  if (fields.length > 0) parts.push(element("h2", {}, "Settings other than the defaults"), settingsTable(fields));
  for (const run of state.index.runs) {
    if (run.notes) parts.push(element("h2", {}, `Notes on ${run.name}`), element("pre", { class: "panel" }, run.notes));
    if (run.events.length > 0) parts.push(eventsOf(run));
  }
  const opened = new Set([...document.querySelectorAll("#details details[open] summary")].map((summary) => summary.textContent));
  byId("details").replaceChildren(...parts);
  for (const summary of document.querySelectorAll("#details summary")) if (opened.has(summary.textContent)) summary.parentElement.open = true;
}

function settingsTable(fields) {
  const table = element("table");
  const head = element("tr");
  head.append(element("th", {}, "Setting"), ...state.index.runs.map((run) => element("th", {}, run.name)));
  table.append(head);
  for (const field of fields) {
    const row = element("tr");
    const found = state.index.runs.map((run) => run.settings.find((setting) => setting.field === field));
    row.append(element("td", { title: field }, found.find(Boolean).label), ...found.map((setting) => element("td", {}, setting ? setting.value : "default")));
    table.append(row);
  }
  const panel = element("div", { class: "panel" });
  panel.append(table);
  return panel;
}

function eventsOf(run) {
  const details = element("details");
  details.append(element("summary", {}, `Events of ${run.name}`));
  const table = element("table");
  for (const event of [...run.events].reverse()) {
    const row = element("tr");
    row.append(element("td", {}, new Date(event.time * 1000).toLocaleString()), element("td", {}, event.severity), element("td", {}, event.text));
    table.append(row);
  }
  const panel = element("div", { class: "panel" });
  panel.append(table);
  details.append(panel);
  return details;
}

// ---- start ----

byId("search").addEventListener("input", filterCharts);
byId("smoothing").addEventListener("input", drawSoon);
byId("logarithmic").addEventListener("change", drawSoon);
byId("all").addEventListener("click", () => zoomTo(null));
window.addEventListener("resize", drawSoon);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawSoon);

function look() {
  const script = element("script", { src: `data/index.js?v=${Date.now()}` });
  script.onerror = () => { byId("status").textContent = "The data cannot be read: data/index.js is missing."; };
  script.onload = () => script.remove();
  document.head.append(script);
}
look();
setInterval(() => { if (!state.index || state.index.live) look(); }, kLookMs);
