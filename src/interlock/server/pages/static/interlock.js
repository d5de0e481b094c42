// Progressive enhancement: live updates, keyboard shortcuts, and checks while typing. The pages work without it.
"use strict";

const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

// On a phone the navigation is one row: show the part of it that holds this page

for (const link of $$("nav [aria-current]")) link.parentElement.scrollLeft = link.offsetLeft - link.parentElement.clientWidth / 2;

// Theme

$("#theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("interlock-theme", root.dataset.theme);
});

$("#density")?.addEventListener("click", () => {
  const root = document.documentElement;
  if (root.dataset.density) delete root.dataset.density; else root.dataset.density = "compact";
  localStorage.setItem("interlock-density", root.dataset.density || "comfortable");
});

$("#help")?.addEventListener("click", () => $("#keys").showModal());

// Live updates: when a record concerns a part of the page, the page is fetched again and that part is replaced.

const live = $("#live");
const here = $("#main").dataset.here || location.href;  // after a form was submitted, the URL that shows the same page
let outdated = new Set();
let timer = 0;

function concerns(part, kind, data) {
  const kinds = part.dataset.live.split(" ");
  const about = part.dataset.about;
  if (about && data.approvalId !== about) return false;
  return kinds.includes("*") || kinds.includes(kind.split(".")[0]);
}

function onRecord(event) {
  let data = {};
  try { data = JSON.parse(event.data); } catch { return; }
  for (const part of $$("[data-live]")) if (concerns(part, data.kind, data)) outdated.add(part.id);
  for (const part of $$("[data-until]")) {
    if (data.approvalId === part.dataset.until && /^approval\.(approved|rejected|expired|cancelled)$/.test(data.kind)) location.replace(here);
  }
  if (outdated.size && !timer) timer = setTimeout(refresh, 250);
}

async function refresh() {
  const ids = outdated;
  outdated = new Set();
  try {
    const response = await fetch(here, { headers: { accept: "text/html" } });
    if (response.status === 401) { location.reload(); return; }
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.title = page.title;
    for (const id of ids) replace(document.getElementById(id), page.getElementById(id));
  } finally {
    timer = 0;
    if (outdated.size) timer = setTimeout(refresh, 250);
  }
}

function replace(old, fresh) {
  if (!old || !fresh || old.isEqualNode(fresh) || old.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return;
  const focused = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const open = $$("details[open]", old).map((one) => $$("details", old).indexOf(one));
  const known = new Set($$("[id]", old).map((one) => one.id));
  const scrolled = old.scrollLeft;
  old.replaceWith(document.adoptNode(fresh));
  fresh.scrollLeft = scrolled;
  open.forEach((index) => { const one = $$("details", fresh)[index]; if (one) one.open = true; });
  for (const one of $$(".timeline > [id]", fresh)) if (!known.has(one.id)) one.classList.add("fresh");
  if (focused) $(`a[href="${CSS.escape(focused)}"]`, fresh)?.focus();
  updateCountdowns();
}

if (live) {
  // Records that were written while the page was loading are streamed too.
  const source = new EventSource(`/v1/events/stream?after=${live.dataset.after}`);
  source.onopen = () => { live.className = "live on"; live.textContent = "live"; };
  source.onerror = async () => {
    live.className = "live off";
    live.textContent = "reconnecting";
    const response = await fetch(here, { headers: { accept: "text/html" } }).catch(() => null);
    if (response?.status === 401) location.reload();  // signed out: show the sign-in form
  };
  for (const kind of live.dataset.kinds.split(" ")) source.addEventListener(kind, onRecord);
  addEventListener("pagehide", () => source.close());
}

// Countdowns

const loadedAt = performance.now();

function updateCountdowns() {
  for (const one of $$("[data-left]")) {
    const left = Math.max(0, Number(one.dataset.left) - Math.floor((performance.now() - (one._shownAt ??= performance.now())) / 1000));
    const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60, seconds = left % 60;
    one.textContent = left === 0 ? "expired" : hours >= 48 ? `${Math.floor(hours / 24)} days ${hours % 24} h left` : hours ? `${hours} h ${minutes} min left` : minutes ? `${minutes} min ${seconds} s left` : `${seconds} s left`;
    one.classList.toggle("short", left < 30);
  }
}
updateCountdowns();
setInterval(updateCountdowns, 1000);

// Challenges: the button is disabled until the reading time is over

const challenge = $("form.challenge");
if (challenge) {
  const button = $("button.yes", challenge);
  const readingTime = Number(challenge.dataset.reading) * 1000;
  const label = [...button.childNodes];
  const wait = () => {
    const left = Math.ceil((readingTime - (performance.now() - loadedAt)) / 1000);
    button.disabled = left > 0;
    if (left > 0) { button.textContent = `Read for ${left} s`; setTimeout(wait, 200); } else { button.replaceChildren(...label); }
  };
  wait();
  const next = () => {
    const all = $$("fieldset.question", challenge);
    const open = all.find((one) => !$("input:checked", one));
    all.forEach((one) => one.classList.toggle("next", one === open));
    return open;
  };
  challenge.addEventListener("change", next);
  next();
}

// Keyboard shortcuts

let isNavigating = false;

function move(step) {
  const rows = $$("[data-row]");
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus();
}

const KEYS = {
  "g": () => { isNavigating = true; },  // the next key chooses the page
  "j": () => move(1),
  "k": () => move(-1),
  "/": () => $("[data-search]")?.focus(),
  "?": () => $("#keys").showModal(),
  "a": () => {
    const button = $("button[data-key=a]:not(:disabled)");
    if (button && !document.activeElement.matches("button, a, summary")) button.form.requestSubmit();
    else button?.focus();  // then Enter approves: the focus shows first what is about to happen
  },
  "r": () => { const button = $("button[data-key=r]"); if (button) $("input[name=reason]", button.form).focus(); },
};

function choose(number) {
  const open = $("fieldset.question.next");
  const choice = open && $$("input", open)[number - 1];
  if (choice) { choice.checked = true; choice.focus(); choice.dispatchEvent(new Event("change", { bubbles: true })); }
}

addEventListener("keydown", (event) => {
  if (event.repeat || $("dialog[open]")) return;  // a key that is held down, or meant for the dialog, must not answer a request
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=radio]), textarea, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (isNavigating) {
    isNavigating = false;
    const place = $$("[data-go]").find((one) => one.dataset.go === event.key);
    if (place) location.href = place.href;
    return;
  }
  if (/^[1-9]$/.test(event.key)) { choose(Number(event.key)); return; }
  const action = KEYS[event.key];
  if (action) { event.preventDefault(); action(); }
});

// Chart tooltips

const tip = $("#tip");
addEventListener("pointermove", (event) => {
  const bar = event.target.closest?.("[data-tip]");
  tip.hidden = !bar;
  if (!bar) return;
  tip.textContent = bar.dataset.tip;
  const x = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
  tip.style.left = `${x}px`;
  tip.style.top = `${Math.max(4, event.clientY - tip.offsetHeight - 10)}px`;
});
