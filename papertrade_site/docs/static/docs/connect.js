// Shows the instructions of one client at a time, and remembers which.
const KEPT = "docs:client";
const chooser = document.querySelector("[data-chooser]");
const links = [...chooser.querySelectorAll("a")];

// What belongs to a client: its heading, all up to the next one, and its line in the list of headings
function sectionOf(link) {
  const heading = document.getElementById(link.hash.slice(1));
  const parts = [heading];
  for (let part = heading.nextElementSibling; part && !/^H[23]$/.test(part.tagName); part = part.nextElementSibling) {
    parts.push(part);
  }
  const line = document.querySelector(`.toc a[href="${link.hash}"]`);
  return line ? [...parts, line.parentElement] : parts;
}

const sections = new Map(links.map((link) => [link, sectionOf(link)]));

function choose(chosen) {
  for (const [link, parts] of sections) {
    for (const part of parts) part.hidden = link !== chosen;
    if (link === chosen) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

const linkTo = (hash) => links.find((link) => link.hash === hash);

chooser.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link) return;
  event.preventDefault(); // the section is in sight already
  history.replaceState(null, "", link.hash);
  memory.set(KEPT, link.hash);
  choose(link);
});

addEventListener("hashchange", () => {
  const link = linkTo(location.hash);
  if (link) choose(link);
});

choose(linkTo(location.hash) ?? linkTo(memory.get(KEPT)) ?? links[0]);
const here = location.hash && document.getElementById(location.hash.slice(1));
if (here) here.scrollIntoView();
