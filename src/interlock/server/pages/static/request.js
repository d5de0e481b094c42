// The page of one request: the key for the next one, and the pause before a quiz can be taken again.
"use strict";

let previous = "";  // `g` and `n` lead to the agents

addEventListener("keydown", (event) => {
  const follows = previous === "g";
  previous = event.key;
  const busy = follows || event.repeat || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]");
  if (event.key !== "n" || busy || event.target.matches("input:not([type=radio]), textarea, select")) return;
  const link = document.querySelector("a[data-next]");
  if (link) location.href = link.href;
});

const pause = document.querySelector("[data-pause]");
if (pause) {
  const ends = performance.now() + Number(pause.dataset.pause) * 1000;
  const tick = () => {
    const left = Math.ceil((ends - performance.now()) / 1000);
    if (left <= 0) { location.replace(document.querySelector("#main").dataset.here); return; }
    pause.textContent = left >= 60 ? `${Math.floor(left / 60)} min ${left % 60} s` : `${left} s`;
    setTimeout(tick, 500);
  };
  tick();
}
