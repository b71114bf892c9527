// Before anything is drawn: the scheme that the reader chose, if any.
"use strict";
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Storage is switched off: the system's scheme it is.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
