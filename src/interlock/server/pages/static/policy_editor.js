// The policy editor while somebody types: errors beside what they concern, and how many past actions match.
"use strict";

const editor = $("#editor");
if (editor && $("#count")) {
  const box = $("#count"), words = $(".count-words", box), progress = $("progress", box), examples = $(".examples", box);
  let typing = 0, running = null;

  const send = (url, signal) => fetch(url, {
    method: "POST",
    body: new URLSearchParams(new FormData(editor)),
    headers: { "x-csrf-token": $("meta[name=csrf]").content },
    signal,
  });

  const element = (name, text, className = "") => Object.assign(document.createElement(name), { textContent: text, className });

  // What a message quotes in backticks is code.
  const message = (text, name = "p", className = "") => {
    const found = element(name, "", className);
    found.append(...text.split(/`([^`]+)`/).map((part, index) => index % 2 ? element("code", part) : part));
    return found;
  };

  // Errors

  const showProblem = (place, error) => {
    for (const one of $$("[data-problem]", editor)) one.replaceChildren();
    if (!error) return;
    const part = place.part === "row" ? $$("[data-problem=row]", editor)[place.row] : $(`[data-problem="${CSS.escape(place.part || "")}"]`, editor);
    if (!part) return;
    part.append(message(error, part.matches("div") ? "p" : "span"));
    if (part.matches("div") && place.excerpt) part.append(element("pre", `${place.excerpt}\n${" ".repeat(place.caret)}^`));
  };

  const stop = (text) => {
    box.removeAttribute("aria-busy");
    progress.hidden = true;
    examples.replaceChildren();
    words.className = "count-words dim";
    words.textContent = text;
  };

  const isEmpty = () => !$$("select[name=field]", editor).some((one) => one.value) && !$$("textarea", editor).some((one) => one.value.trim());

  // The count: one line of JSON for each part, the newest actions first

  const showCount = (count) => {
    progress.hidden = count.isFinal;
    progress.value = 100 * count.counted / count.most;
    if (!count.isFinal) return;
    box.removeAttribute("aria-busy");
    words.className = `count-words ${count.newlyAllowed ? "alarming" : ""}`;
    words.textContent = count.words;
    examples.replaceChildren(...count.examples.map((one) => {
      const item = element("li", ""), link = element("a", "");
      link.href = `/actions/${encodeURIComponent(one.recordId)}`;
      link.append(element("code", one.text || one.toolName));
      item.append(link, element("span", one.before === one.after ? one.after.replace("_", " ") : `${one.before} → ${one.after}`.replaceAll("_", " "), "dim"));
      return item;
    }));
  };

  const readLines = async (response) => {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      lines.forEach((line) => showCount(JSON.parse(line)));
    }
  };

  const check = async () => {
    running?.abort();
    const mine = running = new AbortController();
    if (isEmpty()) { showProblem({}, ""); stop("Add a condition to see how many past actions match."); return; }
    box.setAttribute("aria-busy", "true");
    if (!words.textContent) words.textContent = "Counting matches…";
    progress.removeAttribute("value");
    progress.hidden = false;
    try {
      const response = await send(editor.dataset.check, mine.signal);
      if (!response.ok) { stop("The policy could not be checked. Try again."); return; }
      const { error, warnings, place } = await response.json();
      showProblem(place, error && (place.part === "row" || place.part === "when" ? place.message : error));
      $(".warnings").replaceChildren(...warnings.map((text) => message(text, "p", "notice")));
      // A conflict is not solved by typing, and the id and the command are not checked here.
      if (!error) $("#problem[data-part]:not([data-part=policyId], [data-part=command])")?.remove();
      if (error) { stop(place.part && place.part !== "policyId" ? "Fix the error to see how many past actions match." : error); return; }
      const counting = await send(editor.dataset.count, mine.signal);
      if (!counting.ok) { stop(counting.status === 429 ? "Too many changes at once. Counting resumes as you type." : "The actions could not be counted."); return; }
      await readLines(counting);
    } catch (problem) {
      if (problem.name !== "AbortError") stop("The server cannot be reached.");
    }
  };

  box.hidden = false;
  editor.addEventListener("input", (event) => {
    $(`#problem[data-part="${CSS.escape(event.target.name)}"]`)?.remove();
    if (event.target.name === "command" || event.target.name === "note") return;
    clearTimeout(typing);
    typing = setTimeout(check, 400);
  });
  editor.addEventListener("change", (event) => { if (event.target.matches("select, [type=radio], [type=checkbox]")) { clearTimeout(typing); typing = setTimeout(check, 100); } });
  addEventListener("pagehide", () => running?.abort());
  check();
}
