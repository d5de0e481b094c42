// Runs before the first paint, so that a page never flashes in the wrong theme or density.
(() => {
  const root = document.documentElement;
  const theme = localStorage.getItem("interlock-theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (localStorage.getItem("interlock-density") === "compact") root.dataset.density = "compact";
  // Times are rendered by the server, in the zone that this cookie names.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=strict`;
})();
