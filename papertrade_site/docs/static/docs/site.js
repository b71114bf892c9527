// What a page gains with scripts on: the scheme's switch, copying, remembered tabs, and where one is on it.
"use strict";
{
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // The scheme
  for (const button of all("[data-theme-switch]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
      root.dataset.theme = now === "dark" ? "light" : "dark";
      memory.set("theme", root.dataset.theme);
    });
  }

  // Copying
  const copying = (button, text) => {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(await text());
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not copied";
      }
      button.classList.add("done");
      setTimeout(() => {
        button.textContent = label;
        button.classList.remove("done");
      }, 1600);
    });
    button.hidden = false;
  };
  const withCopyButton = (block) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    copying(button, () => block.querySelector("pre").textContent.replace(/^\$ /gm, ""));
    block.append(button);
    // A single line wraps beside the button; several ones scroll below it
    const tell = () => block.classList.toggle("one-line", !block.querySelector("pre").textContent.trim().includes("\n"));
    tell();
    new MutationObserver(tell).observe(block, { childList: true, characterData: true, subtree: true });
  };
  all(".block").forEach(withCopyButton);
  for (const button of all("[data-copy]")) copying(button, () => button.dataset.copy);
  for (const button of all("[data-copy-page]")) {
    copying(button, async () => {
      const response = await fetch(button.dataset.copyPage);
      if (!response.ok) throw new Error(response.statusText);
      return response.text();
    });
  }

  // Tabs: a choice holds for all groups that have it, on this page and the next
  const named = (name) => all(".tabs > label").filter((label) => label.textContent === name);
  const choose = (name) => {
    for (const label of named(name)) label.control.checked = true;
  };
  choose(memory.get("tab"));
  for (const label of all(".tabs > label")) {
    label.control.addEventListener("change", () => {
      const before = label.getBoundingClientRect().top;
      choose(label.textContent);
      memory.set("tab", label.textContent);
      scrollBy({ top: label.getBoundingClientRect().top - before, behavior: "instant" });
    });
  }

  // Menus that open over the page close by Escape, and when something else is pressed
  const dropdowns = all("details.dropdown");
  addEventListener("click", (event) => {
    for (const each of dropdowns) if (!each.contains(event.target)) each.open = false;
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const each of dropdowns.filter((one) => one.open)) {
      each.open = false;
      each.querySelector("summary").focus();
    }
    if (location.hash === "#pages") location.hash = "#content";
  });

  // Blocks that scroll can be reached by the keyboard; those that show all they have are no stop on the way
  const SCROLLING = ".code, .table, .endpoint code, .playground-answer pre";
  const reach = (block) => {
    if (block.scrollWidth > block.clientWidth || block.scrollHeight > block.clientHeight) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  };
  const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => reach(target)));
  all(SCROLLING).forEach((block) => resized.observe(block));
  new MutationObserver((records) => {
    for (const { target } of records) {
      const block = target.closest(SCROLLING);
      if (block) reach(block);
      else all(SCROLLING, target).forEach((each) => resized.observe(each));
    }
  }).observe(document.querySelector("main"), { childList: true, subtree: true });

  // Where on the page the reader is
  const links = new Map(all(".toc a").map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const passed = headings.filter((heading) => heading.offsetParent && heading.getBoundingClientRect().top < 140);
    const here = passed.at(-1) ?? headings[0];
    for (const [id, link] of links) {
      if (id === here.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  if (headings.length) {
    let isDue = false;
    addEventListener(
      "scroll",
      () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => {
          isDue = false;
          mark();
        });
      },
      { passive: true },
    );
    mark();
  }
  document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest" });
}
