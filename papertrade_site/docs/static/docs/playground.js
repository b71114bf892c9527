// Runs a tool from its page. Whatever comes from outside is set as text, never as HTML.
const GAP = "«arguments»";
const PATIENCE_MS = 30_000;
const KEPT = "docs:code";

// A call in each language: the server writes the code with a gap, and these fill it as papertrade_site/docs/snippets.py does

const spaced = (args, literal = JSON.stringify) =>
  `{${Object.entries(args).map(([name, value]) => `${JSON.stringify(name)}: ${literal(value)}`).join(", ")}}`;
const TRUTHS = { true: "True", false: "False" };
const LITERALS = {
  curl: (args) => JSON.stringify(args).replaceAll("'", "'\\''"),
  python: (args) => spaced(args, (value) => TRUTHS[value] ?? JSON.stringify(value)),
  typescript: (args) => spaced(args),
  json: (args) => spaced(args),
};
export const code = (form, template, args) => template.replace(GAP, () => LITERALS[form](args));

// A result as blocks: a record of plain values, or a table

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isPlain = (value) => typeof value !== "object" || value === null;
const isFlat = (value) => isObject(value) && Object.values(value).every(isPlain);
const isList = (value) => Array.isArray(value) && value.length > 1 && value.every(isPlain);
const keysOf = (rows) => [...new Set(rows.flatMap(Object.keys))];
const under = (title, name) => (title ? `${title} · ${name}` : name);

const tableOf = (title, rows) => {
  const columns = keysOf(rows);
  return { title, columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
};

export function blocks(value, title = "") {
  if (Array.isArray(value)) {
    if (value.length && value.every(isFlat)) return [tableOf(title, value)];
    if (value.every(isPlain)) return [{ title, text: value.join(", ") || "none" }];
    return value.flatMap((row, index) => blocks(row, under(title, row?.market ?? index + 1)));
  }
  const entries = Object.entries(value);
  const found = [];
  const record = entries.filter(([, part]) => isPlain(part));
  if (record.length) found.push({ title, record });
  let nested = entries.filter(([, part]) => !isPlain(part));
  const flat = nested.filter(([, part]) => isFlat(part));
  const shape = (part) => Object.keys(part).join();
  if (flat.length > 1 && flat.every(([, part]) => shape(part) === shape(flat[0][1]))) {
    found.push(tableOf(title, flat.map(([name, part]) => ({ "": name, ...part }))));
    nested = nested.filter((entry) => !flat.includes(entry));
  }
  const lists = nested.filter(([, part]) => isList(part));
  if (lists.length > 1 && lists.every(([, part]) => part.length === lists[0][1].length)) {
    found.push({ title, columns: lists.map(([name]) => name), rows: lists[0][1].map((_, row) => lists.map(([, part]) => part[row])) });
    nested = nested.filter((entry) => !lists.includes(entry));
  }
  return found.concat(nested.flatMap(([name, part]) => blocks(part, under(title, name))));
}

// A spreadsheet takes a text that begins like this for a formula, and would run it
const FORMULA = /^[\s]*[=+\-@]/;
function csvCell(value) {
  if (value === null) return "";
  let text = String(value);
  if (typeof value === "string" && FORMULA.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
export const csv = ({ columns, rows }) => [columns, ...rows].map((row) => row.map(csvCell).join(",") + "\r\n").join("");

export function shown(value) {
  if (value === null) return "none";
  if (typeof value !== "number" || !/^-?\d+(\.\d+)?$/.test(value)) return String(value);
  const [whole, rest] = String(value).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

// What an answer refuses, by argument

export function faultsOf(answer, names) {
  const errors = answer.error?.data?.errors;
  if (errors) return errors.map((fault) => [fault.argument, fault.problem]);
  const text = answer.result?.isError ? answer.result.content[0].text : "";
  if (!text.includes("Wrong arguments for ")) return [];
  const starts = names
    .map((name) => [name, text.search(new RegExp(`(?<=[.:] )${name} is `))])
    .filter(([, start]) => start >= 0)
    .sort((one, other) => one[1] - other[1]);
  return starts.map(([name, start], index) => [name, text.slice(start + name.length + 1, starts[index + 1]?.[1]).trim()]);
}

export function limitOf(header) {
  const [, left, seconds] = /;r=(\d+);t=(\d+)/.exec(header ?? "") ?? [];
  return left && { left: Number(left), seconds: Number(seconds) };
}

// The page

function make(tag, { text, ...traits } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), traits);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

const cell = (tag, value) => make(tag, { text: shown(value), className: typeof value === "number" ? "number" : "" });

function download(name, type, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

class Playground {
  constructor(root) {
    const find = (name) => root.querySelector(`[data-part="${name}"]`);
    this.root = root;
    this.form = find("form");
    this.button = find("run");
    this.status = find("status");
    this.answer = find("answer");
    this.code = find("code");
    this.controls = [...this.form.elements].filter((control) => control.dataset.type);
    this.tabs = [...root.querySelectorAll("[data-code]")];
    this.fill(new URLSearchParams(location.search));
    this.showTab(this.tabs.find((tab) => tab.value === kept()) ?? this.tabs[0]);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.form.addEventListener("input", () => this.showCode());
    for (const tab of this.tabs) tab.addEventListener("change", () => this.showTab(tab));
    find("copy").addEventListener("click", (event) => this.copy(event.target, this.code.textContent));
    find("link").addEventListener("click", (event) => this.copy(event.target, this.address().href));
  }

  // An address that names no argument of this tool leaves the sample in the form
  fill(query) {
    if (!this.controls.some((control) => query.has(control.name))) return;
    for (const control of this.controls) {
      control.value = (query.get(control.name) ?? "").slice(0, 200);
      if (control.selectedIndex < 0) control.selectedIndex = 0;
    }
  }

  arguments() {
    const read = { string: (text) => text, boolean: (text) => text === "true", number: Number, integer: Number };
    const given = this.controls.map((control) => [control, control.value.trim()]).filter(([, text]) => text);
    return Object.fromEntries(given.map(([control, text]) => [control.name, read[control.dataset.type](text)]));
  }

  address() {
    const address = new URL(location.href);
    address.search = new URLSearchParams(this.arguments());
    address.hash = "";
    return address;
  }

  showTab(tab) {
    tab.checked = true;
    keep(tab.value);
    this.showCode();
  }

  showCode() {
    const tab = this.tabs.find((each) => each.checked);
    this.code.textContent = code(tab.value, tab.dataset.code, this.arguments());
  }

  async copy(button, text) {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(this.code); // no clipboard without https
      button.textContent = "Press Ctrl+C";
    }
    button.disabled = true;
    setTimeout(() => Object.assign(button, { textContent: label, disabled: false }), 1500);
  }

  async run() {
    this.running?.abort();
    const running = (this.running = new AbortController());
    const timer = setTimeout(() => running.abort("late"), PATIENCE_MS);
    clearInterval(this.countdown);
    this.refuse([]);
    const unread = this.controls.filter((control) => control.validity.badInput);
    if (unread.length) {
      clearTimeout(timer);
      this.refuse(unread.map((control) => [control.name, "is not a number"]));
      return;
    }
    history.replaceState(null, "", this.address());
    this.root.setAttribute("aria-busy", "true");
    this.say("Running", "");
    try {
      await this.ask(running.signal);
    } catch (error) {
      if (this.running !== running) return; // a later run has taken its place
      this.answer.replaceChildren();
      const late = running.signal.reason === "late";
      this.say(late ? "No answer in 30 s" : "No connection to the server", "bad", late ? "" : "Is it running? Try again.");
      console.info(error);
    } finally {
      clearTimeout(timer);
      if (this.running === running) this.root.removeAttribute("aria-busy");
    }
  }

  async ask(signal) {
    const { endpoint, tool } = this.root.dataset;
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: this.arguments() } };
    const started = performance.now();
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(message),
      credentials: "omit",
      signal,
    });
    const text = await response.text();
    const took = Math.round(performance.now() - started);
    const size = new TextEncoder().encode(text).length;
    const limit = limitOf(response.headers.get("RateLimit"));
    const facts = [`${took} ms`, size < 1000 ? `${size} bytes` : `${(size / 1000).toFixed(1)} KB`];
    if (limit) facts.push(`${limit.left} of ${this.root.dataset.limit} calls left for ${limit.seconds} s`);
    const isGood = response.ok && this.show(text);
    this.say(`${response.status} ${response.statusText}`.trim() + (response.ok && !isGood ? ", refused" : ""), isGood ? "good" : "bad", ...facts);
    if (response.status === 429) this.wait(Number(response.headers.get("Retry-After")) || 1);
  }

  // Shows an answer, and tells whether it is a success
  show(text) {
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      this.answer.replaceChildren(make("p", { text: "The answer is not JSON; something between here and the server wrote it." }), make("pre", { text: text.slice(0, 2000) }));
      return false;
    }
    const { result } = answer;
    const found = result?.structuredContent;
    this.refuse(faultsOf(answer, this.controls.map((control) => control.name)));
    const summary = make("p", { className: "playground-summary", text: result?.content?.[0]?.text ?? answer.error?.message ?? "" });
    const raw = make("details", { open: !found }, make("summary", { text: "JSON" }), make("pre", { tabIndex: 0, text: JSON.stringify(found ?? answer, null, 2) }));
    this.answer.replaceChildren(summary, ...(found ? this.figures(found) : []), raw);
    return Boolean(found);
  }

  figures(found) {
    const { generatedAt, dataSource, freshness, ...figures } = found;
    const { tool } = this.root.dataset;
    const save = make("button", { type: "button", text: "Download JSON" });
    save.addEventListener("click", () => download(`${tool}.json`, "application/json", JSON.stringify(found, null, 2)));
    const age = make("details", {}, make("summary", { text: `Inputs as of ${freshness.asOf}${freshness.degraded ? ", some old or missing" : ""}` }), this.block(tableOf("freshness", freshness.sources)));
    return [make("p", { className: "playground-tools" }, save), ...blocks(figures).map((block) => this.block(block)), age];
  }

  block(block) {
    const title = make("figcaption", { text: block.title || this.root.dataset.tool });
    if (block.text) return make("figure", {}, title, make("p", { text: block.text }));
    const table = make("table");
    if (block.record) table.append(make("tbody", {}, ...block.record.map(([name, value]) => make("tr", {}, make("th", { scope: "row", text: name }), cell("td", value)))));
    else {
      const isNumber = block.columns.map((_, index) => block.rows.some((row) => typeof row[index] === "number"));
      const head = block.columns.map((name, index) => make("th", { scope: "col", text: name, className: isNumber[index] ? "number" : "" }));
      table.append(make("thead", {}, make("tr", {}, ...head)));
      table.append(make("tbody", {}, ...block.rows.map((row) => make("tr", {}, ...row.map((value) => cell("td", value))))));
      const save = make("button", { type: "button", text: "CSV", ariaLabel: `Download ${block.title} as CSV` });
      save.addEventListener("click", () => download(`${this.root.dataset.tool} ${block.title}.csv`.replace(/[^\w.]+/g, "-"), "text/csv", csv(block)));
      title.append(save);
    }
    return make("figure", { className: block.record ? "record" : "" }, title, make("div", { className: "table", tabIndex: 0 }, table));
  }

  refuse(faults) {
    for (const control of this.controls) {
      const [, problem] = faults.find(([name]) => name === control.name) ?? [];
      const place = document.getElementById(`${control.id}-fault`);
      place.textContent = problem ?? "";
      control.setAttribute("aria-invalid", String(Boolean(problem)));
    }
    this.controls.find((control) => control.ariaInvalid === "true")?.focus();
  }

  wait(seconds) {
    const until = Date.now() + seconds * 1000;
    const tick = () => {
      const left = Math.ceil((until - Date.now()) / 1000);
      this.button.disabled = left > 0;
      this.button.textContent = left > 0 ? `Run in ${left} s` : "Run";
      if (left <= 0) clearInterval(this.countdown);
    };
    this.countdown = setInterval(tick, 250);
    tick();
  }

  say(text, mood, ...facts) {
    this.status.replaceChildren(make("strong", { text, className: mood }), ...facts.map((fact) => make("span", { text: fact })));
  }
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // the browser keeps nothing
  }
}

function keep(choice) {
  try {
    localStorage.setItem(KEPT, choice);
  } catch {
    // then it is not remembered
  }
}

if (typeof document !== "undefined") for (const root of document.querySelectorAll("[data-playground]")) new Playground(root);
