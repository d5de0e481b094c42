// Shows notifications about approval requests, and opens a request when one is clicked. It stores no pages.
"use strict";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let message = {};
  try { message = event.data.json(); } catch { /* a push without a readable message is still shown */ }
  event.waitUntil(self.registration.showNotification(String(message.title || "Approval request"), {
    body: String(message.body || ""),
    tag: String(message.tag || "interlock"),
    renotify: !message.ended,
    silent: Boolean(message.ended),
    icon: "/static/icon-192.png",
    badge: "/static/icon-192.png",
    data: { path: String(message.path || "/approvals") },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data.path, self.location.origin);
  event.waitUntil(open(url.origin === self.location.origin ? url.href : "/approvals"));
});

async function open(url) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const same = windows.find((one) => one.url === url);
  return same ? same.focus() : self.clients.openWindow(url);
}
