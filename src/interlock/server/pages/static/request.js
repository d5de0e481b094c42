// The page of one request: the pause before a quiz can be taken again.
"use strict";

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
