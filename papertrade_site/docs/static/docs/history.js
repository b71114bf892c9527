// The history chart that zooms, by uPlot, in the place of the drawn one. It shows the points of the very answer
// that the drawing was made of, which pictures.js hands over whenever it has a new one.

const HEIGHT = 236;
const DAY = 86_400;
const SPANS = { "24 h": DAY, "7 d": 7 * DAY, "30 d": 30 * DAY };
const WIDTH = { "1h": 3_600, "1d": DAY };
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LETTERS = ["", "K", "M", "B", "T"];

export function short(value) {
  const size = Math.abs(value);
  const group = Math.min(Math.max(Math.floor(Math.log10(Number(size.toPrecision(3)) || 1) / 3), 0), LETTERS.length - 1);
  const scaled = size / 1000 ** group;
  const digits = scaled >= 1000 || !group ? String(Number(scaled < 1 ? scaled.toFixed(2) : scaled.toPrecision(3))) : scaled.toPrecision(3);
  return `${value < 0 ? "-" : ""}${digits}${LETTERS[group]}`;
}

function amount(value, unit) {
  const text = short(value);
  return unit === "usd" ? text.replace(/^-?/, (sign) => `${sign}$`) : text;
}

// Without empty decimals, for the round figures of the axis.
function trimmed(text) {
  return text.replace(/(\.[0-9]*?)0+(?=[KMBT])/, (_, kept) => (kept === "." ? "" : kept));
}

function exact(value, unit) {
  const text = value.toLocaleString("en-US", { maximumFractionDigits: 6 });
  return unit === "usd" ? text.replace(/^-?/, (sign) => `${sign}$`) : unit === "paper" ? `${text} PAPER` : text;
}

// Times below the chart: the day, or the time of day where days are wide apart.
function moment(at, step) {
  const [day, time] = new Date(at * 1000).toISOString().slice(0, 16).split("T");
  if (step < DAY && time !== "00:00") return time;
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;
}

class Chart {
  constructor(figure) {
    this.figure = figure;
    this.box = document.createElement("div");
    this.box.className = "picture-chart";
    this.readout = document.createElement("div");
    this.readout.className = "picture-readout";
    this.readout.setAttribute("role", "status");
    this.zooms = document.createElement("div");
    this.zooms.className = "picture-zooms";
    this.zooms.setAttribute("role", "group");
    this.zooms.setAttribute("aria-label", "Part of the history that is shown");
    const drawing = figure.querySelector(".picture-drawing");
    drawing.append(this.box, this.readout);
    drawing.after(this.zooms);
    drawing.addEventListener("keydown", (event) => this.step({ ArrowLeft: -1, ArrowRight: 1 }[event.key], event));
    figure.addEventListener("picture:drawn", (event) => this.take(event.detail));
    new ResizeObserver(() => this.plot?.setSize({ width: this.box.clientWidth, height: HEIGHT })).observe(this.box);
    const redraw = () => this.history && this.draw();
    for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", redraw);
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  take(body) {
    const history = body.results?.get_history;
    this.figure.classList.toggle("picture-charted", Boolean(history?.points.length));
    if (!history?.points.length) return this.drop();
    const isSame = this.plot && ["metric", "mode", "interval"].every((name) => this.history[name] === history[name]);
    this.history = history;
    if (!isSame) return this.draw();
    const shown = this.isDragged && { ...this.plot.scales.x };
    this.plot.setData(this.data(), false);
    this.plot.setScale("x", shown || this.range());
  }

  data() {
    const { points } = this.history;
    return [points.map((point) => Date.parse(point.time) / 1000), points.map((point) => point.value)];
  }

  drop() {
    this.plot?.destroy();
    this.plot = null;
    this.readout.textContent = "";
    this.zooms.replaceChildren();
  }

  draw() {
    this.drop();
    this.span = null;
    this.isDragged = false;
    const { unit, mode, interval } = this.history;
    const colour = (name) => getComputedStyle(this.figure.querySelector(".pic")).getPropertyValue(name);
    const paint = document.createElement("span"); // resolves light-dark(), which a canvas does not know
    this.figure.append(paint);
    const resolved = (name) => ((paint.style.color = colour(name)), getComputedStyle(paint).color);
    const [line, quiet, grid] = ["--long", "--quiet", "--line"].map(resolved);
    paint.remove();
    const isAdded = mode === "per_bucket";
    const axis = { stroke: quiet, font: "11.5px system-ui, sans-serif", ticks: { show: false }, gap: 6 };
    this.plot = new uPlot(
      {
        width: this.box.clientWidth,
        height: HEIGHT,
        padding: [10, 0, 0, 24],
        legend: { show: false },
        tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
        cursor: { y: false, drag: { x: true, y: false }, points: { size: 7 } },
        scales: {
          x: { range: (_, least, most) => [least - (isAdded ? WIDTH[interval] : 0), most] },
          y: isAdded ? { range: (_, least, most) => [Math.min(least, 0), Math.max(most, 0) * 1.05 || 1] } : {},
        },
        axes: [
          { ...axis, grid: { show: false }, size: 30, space: 64, values: (_, at, __, ___, step) => at.map((each) => moment(each, step)) },
          { ...axis, side: 1, size: 58, grid: { stroke: grid, width: 1 }, values: (_, at) => at.map((value) => trimmed(amount(value, unit))) },
        ],
        series: [
          {},
          isAdded
            ? { fill: line, width: 0, points: { show: false }, paths: uPlot.paths.bars({ size: [0.75, 60], align: -1 }) }
            : { stroke: line, width: 1.75, points: { show: false } },
        ],
        hooks: { setCursor: [(plot) => this.read(plot.cursor.idx)], setSelect: [(plot) => this.drag(plot)] },
      },
      this.data(),
      this.box,
    );
    this.plot.over.addEventListener("dblclick", () => this.zoom(null));
    this.showZooms();
  }

  read(index) {
    const point = this.history.points[index ?? -1];
    if (!point) return void (this.readout.textContent = "");
    const so = point.partial ? " so far" : point.gap ? " (several buckets)" : "";
    this.readout.textContent = `${point.time.slice(0, 16).replace("T", " ")} UTC  ${exact(point.value, this.history.unit)}${so}`;
  }

  showZooms() {
    const [times] = this.data();
    const whole = times.at(-1) - times[0], least = 2 * WIDTH[this.history.interval];
    const spans = Object.entries(SPANS).filter(([, span]) => span < whole && span >= least);
    const hint = document.createElement("span");
    hint.className = "picture-hint";
    hint.textContent = "Drag over the chart to zoom in.";
    this.zooms.replaceChildren(...[...spans, ["All", null]].map(([name, span]) => this.button(name, span)), hint);
    this.press();
  }

  button(name, span) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: name });
    button.dataset.span = span ?? "";
    button.addEventListener("click", () => this.zoom(span));
    return button;
  }

  zoom(span) {
    this.span = span;
    this.isDragged = false;
    this.plot.setScale("x", this.range());
    this.press();
  }

  range() {
    const [times] = this.data();
    return { min: this.span ? times.at(-1) - this.span : times[0], max: times.at(-1) };
  }

  // The reader has dragged over a part of the chart, which fills it now
  drag(plot) {
    this.isDragged ||= plot.select.width > 0;
    this.press();
  }

  step(by, event) {
    if (!by || !this.plot) return;
    event.preventDefault();
    const { idx, left, top } = this.plot.cursor;
    const [times] = this.data();
    const { min, max } = this.plot.scales.x;
    const seen = times.map((time, at) => at).filter((at) => times[at] >= min && times[at] <= max);
    const from = left >= 0 && idx !== null ? seen.indexOf(idx) : by > 0 ? -1 : seen.length;
    const at = seen[Math.min(Math.max(from + by, 0), seen.length - 1)];
    this.plot.setCursor({ left: this.plot.valToPos(times[at], "x"), top: Math.max(top, 0) });
  }

  press() {
    for (const button of this.zooms.querySelectorAll("button")) {
      const isOn = !this.isDragged && button.dataset.span === String(this.span ?? "");
      button.setAttribute("aria-pressed", String(isOn));
      if (!button.dataset.span) button.textContent = this.isDragged ? "Show all" : "All";
    }
  }
}

if (globalThis.document) { // tests read this file without a page
  for (const figure of document.querySelectorAll('.picture[data-kind="history"]')) new Chart(figure);
}
