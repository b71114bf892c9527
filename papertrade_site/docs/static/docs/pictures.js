// Live pictures: ages that tick, figures under the pointer, choices within the page, and refreshing.
// Without this file a picture stands as it was drawn, and its choices lead to the page with them.

const EVERY_MS = 10_000;
const REACH_PX = 14; // how near to a shape the pointer has to be
const MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

let ahead_ms = 0; // how far the server's clock is ahead of this one

export function age(since, now = Date.now() + ahead_ms) {
  const old = Math.max(Math.floor((now - Date.parse(since)) / 1000), 0);
  if (old < 2 * MINUTE) return `${old} s`;
  if (old < 2 * HOUR) return `${Math.floor(old / MINUTE)} min`;
  return old < 2 * DAY ? `${Math.floor(old / HOUR)} h` : `${Math.floor(old / DAY)} d`;
}

function distanceTo(element, x, y) {
  const box = element.getBoundingClientRect();
  if (!box.width && !box.height) return Infinity;
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
}

// An address with what a link chooses, whatever else was chosen since the link was made
export function withChoice(address, { argument, drops }, value) {
  const [path, query] = address.split("?");
  const sent = new URLSearchParams(query);
  for (const name of [argument, ...drops.split(" ")]) sent.delete(name);
  if (value) sent.set(argument, value);
  return `${sent}` ? `${path}?${sent}` : path;
}

function chosen(link, address) {
  const { dataset } = link.closest("[data-argument]");
  const { searchParams } = new URL(link.dataset.address, location.href);
  return withChoice(address, dataset, searchParams.get(dataset.argument));
}

// What does not come from the site itself, such as the page of a proxy in front, may be no JSON
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function tick() {
  const now = new Date(Date.now() + ahead_ms).toISOString().slice(11, 19);
  for (const text of document.querySelectorAll(".pic-age")) text.textContent = age(text.dataset.since);
  for (const text of document.querySelectorAll(".pic-now")) text.textContent = now;
}

// A choice stays in the page's address, beside what else is there, so that it can be reloaded and passed on.
function keep(link) {
  const here = new URL(location.href), { hash, searchParams } = new URL(link.href);
  const { argument, drops } = link.closest("[data-argument]").dataset;
  for (const each of [argument, ...drops.split(" ")]) {
    const name = `${hash.slice(1)}-${each}`;
    here.searchParams.delete(name);
    if (searchParams.has(name)) here.searchParams.set(name, searchParams.get(name));
  }
  history.replaceState(null, "", here);
}

class Picture {
  constructor(figure) {
    this.figure = figure;
    this.drawing = figure.querySelector(".picture-drawing");
    this.choices = figure.querySelector(".picture-choices");
    this.state = figure.querySelector(".picture-state");
    this.button = figure.querySelector(".picture-pause");
    this.address = figure.dataset.picture;
    this.isPaused = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.isSeen = false;
    this.dueAt = Date.now() + EVERY_MS;
    this.tip = document.createElement("div");
    this.tip.className = "picture-tip";
    this.tip.setAttribute("role", "status");
    this.tip.hidden = true;
    figure.append(this.tip);
    this.adopt(this.drawing.querySelector("svg"));
    this.listen();
    this.showPause();
    if (figure.dataset.kind === "history") this.load();
  }

  // Takes the words of shapes for its own tip, so that the browser shows no second one.
  adopt(svg) {
    const name = svg.querySelector(":scope > title"), words = svg.querySelector(":scope > desc");
    svg.setAttribute("aria-label", [name, words].map((each) => each?.textContent).filter(Boolean).join(". "));
    svg.removeAttribute("aria-labelledby");
    name?.remove();
    this.shapes = [];
    for (const title of svg.querySelectorAll("title")) {
      const shape = title.parentElement;
      shape.words = title.textContent;
      title.remove();
      this.shapes.push(shape);
    }
    this.at = -1;
    const drawn = Date.parse(svg.querySelector(".pic-now")?.dataset.now ?? "");
    if (drawn > Date.now() + ahead_ms) ahead_ms = drawn - Date.now();
  }

  listen() {
    const { drawing, choices, button } = this;
    drawing.tabIndex = 0;
    drawing.setAttribute("role", "group");
    drawing.setAttribute("aria-label", "Picture; the arrow keys read its figures one by one");
    drawing.addEventListener("pointermove", (event) => this.point(event.clientX, event.clientY));
    drawing.addEventListener("pointerdown", (event) => this.point(event.clientX, event.clientY));
    drawing.addEventListener("pointerleave", () => this.tell(-1));
    drawing.addEventListener("blur", () => this.tell(-1));
    drawing.addEventListener("keydown", (event) => this.step(event));
    choices?.addEventListener("click", (event) => this.choose(event));
    button.addEventListener("click", () => {
      this.isPaused = !this.isPaused;
      this.dueAt = 0;
      this.showPause();
    });
    new IntersectionObserver((entries) => {
      this.isSeen = entries.at(-1).isIntersecting;
    }).observe(this.figure);
  }

  showPause() {
    this.button.hidden = false;
    this.button.textContent = this.isPaused ? "Resume updates" : "Pause updates";
  }

  point(x, y) {
    let nearest = -1, distance = REACH_PX;
    this.shapes.forEach((shape, index) => {
      if (!shape.checkVisibility({ visibilityProperty: true })) return; // the chart in its place tells of itself
      // A group is where its parts are, not all that lies between them.
      const parts = shape.localName === "g" ? [...shape.children] : [shape];
      const away = Math.min(...parts.map((part) => distanceTo(part, x, y)));
      if (away < distance) [nearest, distance] = [index, away];
    });
    this.tell(nearest);
  }

  step(event) {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.tell(-1);
    const isCharts = event.key !== "ArrowUp" && event.key !== "ArrowDown" && this.figure.matches(".picture-charted");
    if (!by || isCharts || !this.shapes.length) return;
    event.preventDefault();
    const first = by > 0 ? 0 : this.shapes.length - 1;
    this.tell(this.at < 0 ? first : (this.at + by + this.shapes.length) % this.shapes.length);
  }

  tell(index) {
    this.shapes[this.at]?.classList.remove("pic-told");
    this.at = index;
    const shape = this.shapes[index];
    this.tip.hidden = !shape;
    if (!shape) return;
    shape.classList.add("pic-told");
    if (this.tip.textContent !== shape.words) this.tip.textContent = shape.words;
    const box = shape.getBoundingClientRect(), around = this.figure.getBoundingClientRect();
    const middle = (Math.max(box.left, around.left) + Math.min(box.right, around.right)) / 2 - around.left;
    const left = Math.min(Math.max(middle - this.tip.offsetWidth / 2, 0), around.width - this.tip.offsetWidth);
    const above = box.top - around.top - this.tip.offsetHeight - 8;
    const top = above + around.top > 0 ? above : box.bottom - around.top + 8;
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  choose(event) {
    const link = event.target.closest("a");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    this.wanted = chosen(link, this.wanted ?? this.address);
    this.load();
    keep(link);
  }

  refresh() {
    if (!this.isPaused && this.isSeen && Date.now() >= this.dueAt) this.load();
  }

  // What was chosen, until it is drawn; else the picture that there is, anew
  async load() {
    const address = this.wanted ?? this.address, isChosen = Boolean(this.wanted);
    this.dueAt = Date.now() + EVERY_MS;
    this.request?.abort();
    const request = (this.request = new AbortController());
    try {
      const url = new URL(address, location.href);
      url.pathname = url.pathname.replace(/\.svg$/, ".json");
      const answer = await fetch(url, { headers: { Accept: "application/json" }, signal: request.signal });
      const body = parsed(await answer.text());
      if (body.drawnAt) ahead_ms = Date.parse(body.drawnAt) - Date.now();
      if (!body.svg || !(answer.ok || isChosen)) {
        const words = `the site answered ${answer.status} ${answer.statusText}`.trim();
        return this.fail(body.message ?? `${words}.`, answer);
      }
      this.show(body, address, isChosen);
    } catch (error) {
      if (error.name !== "AbortError") this.fail("the site cannot be reached.");
    }
  }

  show(body, address, isChosen) {
    const svg = new DOMParser().parseFromString(body.svg, "image/svg+xml").documentElement;
    const told = this.at;
    this.drawing.querySelector("svg").replaceWith(document.importNode(svg, true));
    this.adopt(this.drawing.querySelector("svg"));
    this.address = address;
    this.wanted = undefined;
    this.figure.dataset.picture = address;
    this.figure.querySelector(".picture-alone").setAttribute("href", address);
    this.state.textContent = "";
    if (isChosen) this.showChoices(body.choices);
    else if (told >= 0) this.tell(told < this.shapes.length ? told : -1);
    if (isChosen) this.tell(-1);
    tick();
    this.figure.dispatchEvent(new CustomEvent("picture:drawn", { detail: body }));
  }

  // The choices anew, with the focus where it was.
  showChoices(html) {
    const focused = document.activeElement?.closest?.(".picture-choices a");
    const place = [...this.choices.querySelectorAll("a")].indexOf(focused);
    this.choices.innerHTML = html;
    if (place >= 0) this.choices.querySelectorAll("a")[place]?.focus();
  }

  fail(message, answer) {
    const wait_s = Number(answer?.headers.get("Retry-After")) || 0;
    this.dueAt = Date.now() + Math.max(EVERY_MS, wait_s * 1000);
    this.state.textContent = `Not refreshed: ${message}`;
  }
}

function start() {
  const pictures = [...document.querySelectorAll(".picture[data-picture]")].map((figure) => new Picture(figure));
  tick();
  setInterval(() => {
    if (document.hidden) return;
    tick();
    for (const picture of pictures) picture.refresh();
  }, 1000);
}

if (globalThis.document) start(); // tests read this file without a page
