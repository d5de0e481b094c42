// Conditions as rows: added, removed and moved without a request, operators that fit the field, and values to choose from.
"use strict";

const conditions = $("ol.conditions");
if (conditions) {
  const operatorsOf = JSON.parse(conditions.dataset.operators);
  const changed = () => conditions.dispatchEvent(new Event("input", { bubbles: true }));
  const rows = () => $$("[data-condition]", conditions);

  // Labels and buttons name the number of their row, so that every row has its own names.
  const number = () => rows().forEach((row, index) => {
    for (const one of $$("[aria-label]", row)) one.setAttribute("aria-label", one.getAttribute("aria-label").replace(/condition \d+/, `condition ${index + 1}`));
    for (const one of $$("button", row)) one.value = one.value.replace(/\d+$/, index);
  });

  const fit = (row) => {
    const field = $("select[name=field]", row);
    const fitting = operatorsOf[field.selectedOptions[0]?.dataset.type || "any"];
    const operator = $("select[name=operator]", row);
    for (const option of operator.options) option.hidden = option.disabled = !fitting.includes(option.value) && !option.selected;
    $("input.value", row).setAttribute("list", `values-${field.value || "toolName"}`);
  };

  const add = (after) => {
    const row = after.cloneNode(true);
    for (const one of $$("select", row)) one.selectedIndex = 0;
    for (const one of $$("input", row)) one.value = "";
    $("[data-problem]", row).replaceChildren();
    after.after(row);
    number();
    fit(row);
    $("select[name=field]", row).focus();
    changed();
  };

  const remove = (row) => {
    const next = row.nextElementSibling || row.previousElementSibling;
    if (!next) {  // the last row stays, empty
      $$("select", row).forEach((one) => { one.selectedIndex = 0; });
      $$("input", row).forEach((one) => { one.value = ""; });
    } else {
      row.remove();
    }
    number();
    $("select[name=field]", next || row).focus();
    changed();
  };

  const move = (row, step, focused) => {
    const other = step < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    if (step < 0) other.before(row); else other.after(row);
    number();
    focused.focus();
    changed();
  };

  conditions.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    event.preventDefault();
    const row = button.closest("[data-condition]"), name = button.value.split("-")[0];
    if (name === "remove") remove(row); else move(row, name === "up" ? -1 : 1, button);
  });
  $("button[value=add]").addEventListener("click", (event) => { event.preventDefault(); add(rows().at(-1)); });
  conditions.addEventListener("change", (event) => {
    const row = event.target.closest("[data-condition]");
    if (event.target.name !== "field") return;
    fit(row);
    const operator = $("select[name=operator]", row);
    if (operator.selectedOptions[0].disabled || !operatorsOf[event.target.selectedOptions[0]?.dataset.type || "any"].includes(operator.value)) operator.value = "equals";
    fit(row);
  });
  conditions.addEventListener("keydown", (event) => {
    const row = event.target.closest("[data-condition]");
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      move(row, event.key === "ArrowUp" ? -1 : 1, event.target);
    } else if (event.key === "Enter" && event.target.matches("input")) {
      event.preventDefault();
      add(row);
    }
  });

  // Values that were seen come with the page; what is typed is looked up among all that are known.
  let valueTimer = 0;
  const complete = async (input) => {
    const field = $("select[name=field]", input.closest("[data-condition]")).value;
    const list = field && document.getElementById(`values-${field}`);
    const text = input.value.split(",").at(-1).trim();
    if (!field || field === "risk.score") return;
    const query = new URLSearchParams({ field, text: text.slice(0, 200) });
    const response = await fetch(`${$("#editor").dataset.values}?${query}`).catch(() => null);
    if (!response?.ok) return;
    const before = input.value.slice(0, input.value.length - input.value.split(",").at(-1).length);
    const { values } = await response.json();
    const target = list || document.body.appendChild(Object.assign(document.createElement("datalist"), { id: `values-${field}` }));
    target.replaceChildren(...values.map((value) => Object.assign(document.createElement("option"), { value: before ? `${before.trimEnd()} ${value}` : value })));
  };
  conditions.addEventListener("input", (event) => {
    if (!event.target.matches("input.value")) return;
    clearTimeout(valueTimer);
    valueTimer = setTimeout(() => complete(event.target), 200);
  });
  rows().forEach(fit);
}
