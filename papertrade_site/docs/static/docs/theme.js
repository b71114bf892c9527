// Before anything is drawn: the scheme that the reader chose, if any. The scripts after this one remember by it too.
"use strict";
const memory = {
  get(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage is switched off
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Storage is switched off: nothing is remembered.
    }
  },
};
{
  const chosen = memory.get("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
