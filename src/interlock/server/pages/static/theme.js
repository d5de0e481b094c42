// Runs before the first paint, so that a page never flashes in the wrong theme.
(() => {
  const kept = localStorage.getItem("interlock-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
})();
