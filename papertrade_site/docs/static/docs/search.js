// Search without a server: the index is fetched once, when it is first needed, and scored here.
"use strict";
{
  const opener = document.querySelector("[data-search]");
  const WEIGHTS = { title: 10, heading: 6, text: 1 };
  const MOST = 12;
  const MOST_OF_A_PAGE = 2;
  const EXCERPT = 130; // characters
  const ELSEWHERE = 0.6; // what a hit of the other server counts for
  let index = null;
  let isAsked = false; // Enter was pressed before the index came

  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

  /** How well a text answers a word: in full, as a beginning, or somewhere within. */
  const fit = (text, word) => {
    let best = 0;
    for (const each of words(text)) {
      if (each === word) return 3;
      if (each.startsWith(word)) best = Math.max(best, 2);
      else if (word.length > 2 && each.includes(word)) best = Math.max(best, 1);
    }
    return best;
  };

  const score = (entry, query) => {
    const phrase = query.join(" ");
    // A page that is called so comes before its own parts
    let sum = !entry.heading && query.every((word) => fit(entry.title, word)) ? WEIGHTS.heading : 0;
    if (query.length > 1) {
      for (const [part, weight] of Object.entries(WEIGHTS)) {
        if (words(entry[part]).join(" ").includes(phrase)) sum += 2 * weight;
      }
    }
    for (const word of query) {
      const fits = Object.entries(WEIGHTS).map(([part, weight]) => weight * fit(entry[part], word));
      const best = Math.max(...fits);
      if (best === 0) return 0;
      sum += best + fits.reduce((a, b) => a + b, 0) / 10;
    }
    return sum;
  };

  const found = (text) => {
    const query = words(text);
    if (!query.length) return index.filter((entry) => !entry.heading && !entry.server).slice(0, MOST);
    const rows = index.map((entry) => ({ entry, score: score(entry, query) * (entry.server ? ELSEWHERE : 1) }));
    const best = rows.filter((row) => row.score > 0).sort((a, b) => b.score - a.score);
    const shown = new Map();
    return best
      .map((row) => row.entry)
      .filter((entry) => {
        const page = entry.address.split("#")[0];
        shown.set(page, (shown.get(page) ?? 0) + 1);
        return shown.get(page) <= MOST_OF_A_PAGE;
      })
      .slice(0, MOST);
  };

  /** The words around the first hit, as text. */
  const excerpt = (entry, query) => {
    const hits = query.map((word) => entry.text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
    const at = hits.length ? Math.min(...hits) : 0;
    const from = at > 60 ? entry.text.indexOf(" ", at - 40) + 1 : 0;
    const text = entry.text.slice(from, from + EXCERPT);
    const isWhole = from + EXCERPT >= entry.text.length;
    return (from ? "… " : "") + (isWhole ? text : `${text.slice(0, text.lastIndexOf(" "))} …`);
  };

  const build = () => {
    const dialog = document.createElement("dialog");
    dialog.className = "search";
    dialog.setAttribute("aria-label", "Search the documentation");
    dialog.innerHTML =
      '<input type="text" enterkeyhint="search" role="combobox" aria-label="Search" aria-expanded="true" aria-controls="found" ' +
      'aria-autocomplete="list" autocomplete="off" spellcheck="false" placeholder="Search tools, fields, errors, limits">' +
      '<ul id="found" role="listbox" aria-label="Results"></ul><p role="status"></p>';
    document.body.append(dialog);
    return dialog;
  };

  const open = async () => {
    const dialog = document.querySelector("dialog.search") ?? build();
    const [input, list, status] = dialog.children;
    let chosen = 0;
    isAsked = false;

    const select = (to) => {
      const links = [...list.querySelectorAll("a")];
      if (!links.length) return input.removeAttribute("aria-activedescendant");
      chosen = (to + links.length) % links.length;
      links.forEach((link, at) => link.setAttribute("aria-selected", String(at === chosen)));
      links[chosen].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", links[chosen].id);
    };

    const show = () => {
      if (index === null) return; // typed before it came; it will be shown then
      const query = words(input.value);
      const rows = found(input.value);
      list.replaceChildren(
        ...rows.map((entry, at) => {
          const item = document.createElement("li");
          item.setAttribute("role", "presentation");
          const link = document.createElement("a");
          link.id = `found-${at}`;
          link.href = entry.address;
          link.tabIndex = -1;
          link.setAttribute("role", "option");
          const title = document.createElement("span");
          title.textContent = entry.heading ? `${entry.title.split(": ")[0]} › ${entry.heading}` : entry.title;
          const small = document.createElement("small");
          small.textContent = excerpt(entry, query);
          if (entry.server) title.prepend(Object.assign(document.createElement("b"), { textContent: `in ${entry.server}` }));
          link.append(title, small);
          item.append(link);
          return item;
        }),
      );
      status.textContent = rows.length ? "" : "Nothing found. Try the name of a tool or of a figure.";
      status.hidden = rows.length > 0;
      select(0);
      if (isAsked && dialog.open) go();
    };

    const go = () => {
      isAsked = index === null;
      list.querySelectorAll("a")[chosen]?.click();
    };

    input.oninput = () => {
      isAsked = false; // of what was typed before
      show();
    };
    dialog.onclick = (event) => {
      if (event.target === dialog || event.target.closest("a")) dialog.close();
    };
    input.onkeydown = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        select(chosen + step);
      } else if (event.key === "Enter") {
        go();
      }
    };
    if (!dialog.open) dialog.showModal();
    input.select();
    if (index === null) {
      status.textContent = "Loading …";
      try {
        const response = await fetch(opener.dataset.search);
        if (!response.ok) throw new Error(response.statusText);
        index = await response.json();
      } catch {
        status.textContent = "The index could not be loaded. Try again.";
        return;
      }
    }
    show();
  };

  if (opener) {
    opener.hidden = false;
    if (!/Mac|iPhone|iPad/.test(navigator.platform)) opener.querySelector("kbd").textContent = "Ctrl K";
    opener.addEventListener("click", open);
    addEventListener("keydown", (event) => {
      const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
      if ((event.key === "k" && (event.metaKey || event.ctrlKey)) || (event.key === "/" && !isTyping)) {
        event.preventDefault();
        open();
      }
    });
  }
}
