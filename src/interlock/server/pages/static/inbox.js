// The inbox by keyboard, with a selection that survives live updates. The page works without it.
"use strict";

const selection = new Set();

const boxes = () => $$("#selection .pick input[name]");
const keyOf = (box) => `${box.name}=${box.value}`;

function showSelection() {
  const known = new Set();
  for (const box of boxes()) {
    box.checked = selection.has(keyOf(box));
    known.add(keyOf(box));
  }
  for (const key of [...selection]) if (!known.has(key)) selection.delete(key);  // answered in the meantime
  const all = $("#select-all"), counter = $("#selected");
  if (all) { all.checked = known.size > 0 && selection.size === known.size; all.indeterminate = selection.size > 0 && !all.checked; }
  const text = selection.size ? `${selection.size} selected` : "";
  if (counter && counter.textContent !== text) counter.textContent = text;
  for (const button of $$("#selection .bar button")) button.disabled = !selection.size;
}

function select(box, chosen) {
  if (chosen) selection.add(keyOf(box)); else selection.delete(keyOf(box));
  showSelection();
}

addEventListener("change", (event) => {
  const box = event.target;
  if (box.id === "select-all") {
    const isChosen = box.checked;  // showing the selection changes this box as well
    boxes().forEach((one) => select(one, isChosen));
    box.blur();
  }
  else if (box.matches("#selection .pick input")) {
    select(box, box.checked);
    $("[data-row]", box.closest("li"))?.focus();  // a focused field would hold back live updates
  }
});

if ($("#inbox")) {
  boxes().forEach((box) => { if (box.checked) selection.add(keyOf(box)); });
  showSelection();
  new MutationObserver(showSelection).observe($("#main"), { childList: true });
}

// What the keys act on: the selection, or the row that has the focus

const focusedRow = () => document.activeElement.closest?.("[data-row]");

function chosen() {
  if (selection.size) return [...selection];
  const row = focusedRow();
  return row ? [`${row.dataset.group === undefined ? "id" : "group"}=${row.dataset.request}`] : [];
}

function answer(verdict) {
  const what = chosen();
  const row = focusedRow();
  if (!what.length) return;
  if (verdict === "approve" && !selection.size && row?.dataset.ownPage !== undefined) { location.href = row.href; return; }
  const back = $("#selection input[name=back]")?.value ?? "";
  location.href = `/approvals/answer?verdict=${verdict}&${what.join("&")}&back=${encodeURIComponent(back)}`;
}

let assigning = null;  // the row that had the focus before the list of people got it

const INBOX_KEYS = {
  "x": () => { const box = focusedRow() && $(".pick input", focusedRow().closest("li")); if (box) select(box, !box.checked); },
  "a": () => answer("approve"),
  "r": () => answer("reject"),
  "A": () => {
    assigning = focusedRow();
    const box = focusedRow() && $(".pick input", focusedRow().closest("li"));
    if (!selection.size && box) select(box, true);
    $("#assign-to")?.focus();
  },
  "c": () => { const row = focusedRow(); if (row) location.href = `${row.href}#comment`; else $("#comment")?.focus(); },
  "n": () => { location.href = $("a[data-next]")?.href ?? "/approvals/next"; },
};
const ON_REQUEST = new Set(["c", "n"]);

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.id === "assign-to" && assigning?.isConnected) {
    event.preventDefault();
    event.stopImmediatePropagation();  // it would take the focus away from the row again
    assigning.focus();
    return;
  }
  if (event.repeat || event.defaultPrevented || isNavigating || $("dialog[open]")) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) return;
  const action = $("#inbox") || ON_REQUEST.has(event.key) ? INBOX_KEYS[event.key] : undefined;
  if (action) { event.preventDefault(); action(); }
}, true);  // before the keys that every page has

if (location.hash === "#comment") $("#comment")?.focus();
