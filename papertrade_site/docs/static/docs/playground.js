// Runs a tool from its page. Whatever comes from outside is set as text, never as HTML.
const GAP = "«arguments»";
const PATIENCE_MS = 30_000;

// A call as code: the server wrote it with a gap, filled here as docs/snippets.py does

const TRUTHS = { true: "True", false: "False" };
const json = (value) => JSON.stringify(value);
const spaced = (args, literal = json) =>
  `{${Object.entries(args).map(([name, value]) => `${json(name)}: ${literal(value)}`).join(", ")}}`;
const LITERALS = {
  curl: (args) => json(args).replaceAll("'", "'\\''"),
  python: (args) => spaced(args, (value) => (typeof value === "boolean" ? TRUTHS[value] : json(value))),
  typescript: (args) => spaced(args),
  json: (args) => spaced(args),
};
export const code = (form, template, args) => template.replace(GAP, () => LITERALS[form](args));

// A result as blocks: { title, record } of plain values, { title, columns, rows }, or { title, text }

const isPlain = (value) => typeof value !== "object" || value === null;
const isRecord = (value) => !isPlain(value) && !Array.isArray(value) && Object.values(value).every(isPlain);
const alike = (parts, trait) => parts.length > 1 && new Set(parts.map(([, part]) => trait(part))).size === 1;

function table(title, rows) {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  return { title, columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
}

export function blocks(value, title = "") {
  const under = (name) => (title ? `${title} · ${name}` : String(name));
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return [{ title, text: value.join(", ") || "none" }];
    if (value.every(isRecord)) return [table(title, value)];
    return value.flatMap(({ market, ...part }, index) => blocks(part, under(market ?? index + 1)));
  }
  const parts = Object.entries(value);
  const plain = parts.filter(([, part]) => isPlain(part));
  const isShort = ([, part]) => String(part).length < 80;
  const record = plain.filter(isShort);
  const found = record.length ? [{ title, record }] : [];
  const told = plain.filter((part) => !isShort(part)).map(([name, text]) => ({ title: under(name), text }));
  let rest = parts.filter(([, part]) => !isPlain(part));
  const take = (taken, block) => {
    found.push(block);
    rest = rest.filter((part) => !taken.includes(part));
  };
  const records = rest.filter(([, part]) => isRecord(part));
  if (alike(records, (part) => Object.keys(part).join())) {
    take(records, table(title, records.map(([name, part]) => ({ name, ...part }))));
  }
  const lists = rest.filter(([, part]) => Array.isArray(part) && part.length && part.every(isPlain));
  if (alike(lists, (part) => part.length)) {
    const rows = lists[0][1].map((_, row) => lists.map(([, part]) => part[row]));
    take(lists, { title, columns: lists.map(([name]) => name), rows });
  }
  return found.concat(told, rest.flatMap(([name, part]) => blocks(part, under(name))));
}

// Where spreadsheets of any country may see a formula begin
const FORMULA = /(?<=^|[,;|\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g;

function csvCell(value) {
  const text = typeof value === "string" ? value.replace(FORMULA, "'") : `${value ?? ""}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csv = ({ columns, rows }) => [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

export const shown = (value) =>
  typeof value === "number" ? value.toLocaleString("en-US", { maximumFractionDigits: 20 }) : String(value ?? "none");

// Refused arguments with their problems: in data, or in the sentences of a text
export function faults(answer, names) {
  const errors = answer.error?.data?.errors;
  if (errors) return errors.map(({ argument, problem }) => [argument, `It ${problem}.`]);
  const text = answer.result?.isError ? answer.result.content[0].text : "";
  if (!text.includes("Wrong arguments for ")) return [];
  const starts = names
    .map((name) => [name, new RegExp(`^.*[.:] (?=${name} is )`).exec(text)?.[0].length])
    .filter(([, start]) => start)
    .sort(([, one], [, other]) => one - other);
  return starts.map(([name, start], index) => [name, text.slice(start, starts[index + 1]?.[1]).trim()]);
}

// The RateLimit header: "name";r=29;t=41
export function limit(header) {
  const found = /;r=(\d+);t=(\d+)/.exec(header ?? "");
  return found && { left: found[1], seconds: found[2] };
}

// The page

function make(tag, traits = {}, ...children) {
  const element = Object.assign(document.createElement(tag), traits);
  element.append(...children);
  return element;
}

const button = (label, action) => {
  const made = make("button", { type: "button", className: "quiet-button" }, label);
  made.addEventListener("click", action);
  return made;
};

function save(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href, download: name.replace(/[^\w.]+/g, "-") }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

const aligned = (isNumber) => ({ className: isNumber ? "number" : "" });
const cell = (value) => make("td", aligned(typeof value === "number"), shown(value));

// The place of the first row beyond the mark: the row at it, but a long, which busts below it, stands before it;
// rows without distances have none
export const nearest = (distances, sides) => {
  const sizes = distances.map((each) => (typeof each === "number" ? Math.abs(each) : Infinity));
  const least = Math.min(...sizes), at = sizes.indexOf(least);
  if (!Number.isFinite(least)) return -1;
  return sides[at] === "long" && sides[at + 1] === "short" ? at + 1 : at;
};

function drawn(block, tool) {
  const title = make("figcaption", {}, block.title || "result");
  if (block.text) return make("figure", {}, title, make("p", {}, block.text));
  const body = make("tbody");
  const drawing = make("table", {}, body);
  if (block.record) {
    for (const [name, value] of block.record) body.append(make("tr", {}, make("th", { scope: "row" }, name), cell(value)));
  } else {
    const isNumber = (index) => block.rows.some((row) => typeof row[index] === "number");
    const head = block.columns.map((name, index) => make("th", { scope: "col", ...aligned(isNumber(index)) }, name));
    drawing.prepend(make("thead", {}, make("tr", {}, ...head)));
    for (const row of block.rows) body.append(make("tr", {}, ...row.map(cell)));
    const column = (name) => block.rows.map((row) => row[block.columns.indexOf(name)]);
    const at = nearest(column("distancePercent"), column("side"));
    if (at > 0) body.rows[at].className = "at-mark";
    title.append(button("CSV", () => save(`${tool} ${block.title}.csv`, "text/csv", csv(block))));
  }
  const frame = make("div", { className: "table" }, drawing);
  return make("figure", { className: block.record ? "record" : "" }, title, frame);
}

const READERS = { string: String, boolean: (text) => text === "true", number: Number, integer: Number };

class Playground {
  constructor(root) {
    this.root = root;
    this.tool = root.dataset.tool;
    for (const name of ["form", "runner", "link", "status", "answer"]) this[name] = root.querySelector(`[data-part="${name}"]`);
    this.controls = [...this.form.elements].filter((control) => control.dataset.type);
    this.fill(new URLSearchParams(location.search));
    this.form.addEventListener("input", () => this.write());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.write();
  }

  // An address that names no argument leaves the sample in the form
  fill(query) {
    if (!this.controls.some((control) => query.has(control.name))) return;
    for (const control of this.controls) {
      const text = (query.get(control.name) ?? "").slice(0, 200);
      control.value = control.type !== "number" ? text : text && isFinite(text) ? +text : "";
      if (control.selectedIndex === -1) control.selectedIndex = 0;
    }
  }

  arguments() {
    const given = this.controls.filter((control) => control.value.trim());
    return Object.fromEntries(given.map(({ name, value, dataset }) => [name, READERS[dataset.type](value.trim())]));
  }

  // With what else the page's address holds, such as the choices of a picture
  address() {
    const query = new URLSearchParams(location.search), sent = Object.entries(this.arguments());
    for (const { name } of this.controls) query.delete(name);
    for (const [name, value] of sent) query.set(name, value);
    const [first] = this.controls;
    if (first && !sent.length) query.set(first.name, ""); // else the sample comes back
    return location.origin + location.pathname + (query.size ? `?${query}` : "");
  }

  write() {
    this.link.dataset.copy = this.address();
    for (const { dataset, firstElementChild } of this.root.querySelectorAll("[data-template]")) {
      const text = code(dataset.form, dataset.template, this.arguments());
      const place = firstElementChild.firstElementChild;
      if (place.textContent !== text) place.textContent = text;
    }
  }

  async run() {
    this.running?.abort();
    const unread = this.controls.filter((control) => control.validity.badInput);
    this.refuse(unread.map((control) => [control.name, "This is not a number."]));
    if (unread.length) return;
    const running = (this.running = new AbortController());
    const timer = setTimeout(() => running.abort(), PATIENCE_MS);
    const started = performance.now();
    history.replaceState(null, "", this.address());
    this.root.setAttribute("aria-busy", "true");
    this.say("Running");
    try {
      const response = await this.ask(running.signal);
      const body = await response.blob();
      await this.tell(response, body, performance.now() - started);
    } catch (error) {
      if (this.running !== running) return; // a later run has taken its place
      this.answer.replaceChildren();
      this.say(running.signal.aborted ? "No answer in 30 s" : "No answer", "bad", error.message);
    } finally {
      clearTimeout(timer);
      if (this.running === running) this.root.removeAttribute("aria-busy");
    }
  }

  ask(signal) {
    const params = { name: this.tool, arguments: this.arguments() };
    return fetch(this.root.dataset.endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: json({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      signal,
    });
  }

  async tell(response, body, took) {
    const isFound = this.show(await body.text());
    const words = response.ok && !isFound ? "refused" : response.statusText;
    const size = body.size < 1000 ? `${body.size} bytes` : `${(body.size / 1000).toFixed(1)} KB`;
    const rest = limit(response.headers.get("RateLimit"));
    const left = rest ? `${rest.left} of ${this.root.dataset.limit} calls left, all again in ${rest.seconds} s` : "";
    this.say(`${response.status} ${words}`, isFound ? "good" : "bad", `${Math.round(took)} ms`, size, left);
    this.bringIntoSight();
    if (response.status === 429) this.wait(Number(response.headers.get("Retry-After")) || 1);
  }

  // An answer that began low in the window is moved up; how, the style sheet says
  bringIntoSight() {
    if (this.status.getBoundingClientRect().bottom > innerHeight * 0.6) this.runner.scrollIntoView({ block: "start" });
  }

  // Shows an answer, and tells whether it is a result
  show(text) {
    const { tool } = this;
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      this.answer.replaceChildren("This is no JSON.", make("pre", {}, text.slice(0, 2000)));
      return false;
    }
    this.refuse(faults(answer, this.controls.map((control) => control.name)));
    const found = answer.result?.structuredContent;
    const pretty = JSON.stringify(found ?? answer, null, 2);
    const summary = make("p", {}, answer.result?.content?.[0]?.text ?? answer.error?.message ?? answer.message ?? "");
    const raw = make("details", {}, make("summary", {}, "JSON"), make("pre", {}, pretty));
    this.answer.replaceChildren(summary, raw);
    if (!found) return false;
    const { generatedAt, dataSource, freshness, ...figures } = found;
    const trouble = freshness.degraded ? ", some old or missing" : "";
    const sources = drawn(table("sources", freshness.sources), tool);
    const age = make("details", {}, make("summary", {}, `Inputs as of ${freshness.asOf}${trouble}`), sources);
    raw.before(...blocks(figures).map((block) => drawn(block, tool)), age);
    for (const row of this.answer.querySelectorAll(".at-mark")) {
      const frame = row.closest(".table");
      frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
    }
    raw.append(button("Download", () => save(`${tool}.json`, "application/json", pretty)));
    return true;
  }

  refuse(found) {
    const problems = new Map(found);
    for (const control of this.controls) {
      document.getElementById(`${control.id}-fault`).textContent = problems.get(control.name) ?? "";
      control.setAttribute("aria-invalid", problems.has(control.name));
    }
    this.controls.find((control) => problems.has(control.name))?.focus();
  }

  wait(seconds) {
    const end = Date.now() + seconds * 1000;
    const tick = () => {
      const left = Math.ceil((end - Date.now()) / 1000);
      this.runner.disabled = left > 0;
      this.runner.textContent = left > 0 ? `Run in ${left} s` : "Run";
      if (left > 0) setTimeout(tick, 250);
    };
    tick();
  }

  say(text, mood = "", ...facts) {
    const spans = facts.filter(Boolean).map((fact) => make("span", {}, fact));
    this.status.replaceChildren(make("strong", { className: mood }, text), ...spans);
  }
}

if (globalThis.document) for (const root of document.querySelectorAll("[data-playground]")) new Playground(root);
