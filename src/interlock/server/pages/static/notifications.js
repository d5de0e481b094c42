// Notifications in this browser: asks for permission, subscribes, and registers the subscription with the server.
"use strict";

const button = $("#this-browser");
const told = $("#browser-status");
const PATIENCE = 30_000;

async function fingerprint(endpoint) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint));
  return [...new Uint8Array(digest)].slice(0, 8).map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function keyBytes(text) {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4);
  return Uint8Array.from(atob(padded), (char) => char.charCodeAt(0));
}

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error("Notifications are blocked. Allow them for this site in the browser's settings.");
  }
  const registration = await navigator.serviceWorker.register("/service-worker.js");
  await navigator.serviceWorker.ready;
  const subscription = await subscribeWith(registration.pushManager);
  const headers = { "content-type": "application/json", "x-csrf-token": $("meta[name=csrf]").content };
  const response = await fetch("/settings/notifications/browsers", { method: "POST", headers, body: JSON.stringify(subscription) });
  if (!response.ok) throw new Error((await response.json()).detail);
  location.assign("/settings/notifications?saved=yes");
}

// A browser that cannot reach its push service may wait for it without end.
async function subscribeWith(pushManager) {
  const options = { userVisibleOnly: true, applicationServerKey: keyBytes(button.dataset.key) };
  const late = new Promise((_, reject) => { setTimeout(() => reject(new Error("no answer")), PATIENCE); });
  try { return await Promise.race([pushManager.subscribe(options), late]); } catch (error) {
    throw new Error(`This browser could not register with its push service (${error.message}). Private windows and networks that block the service cannot be notified; use a channel instead.`);
  }
}

function say(text) {
  told.textContent = text;
  told.hidden = !text;
}

async function showState() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  const mark = subscription && await fingerprint(subscription.endpoint);
  const row = mark && $(`[data-browser="${mark}"]`);
  if (row) $(".this", row).hidden = false;
  button.hidden = Boolean(row);
}

if (button && "serviceWorker" in navigator && "PushManager" in window && window.isSecureContext) {
  showState();
  button.addEventListener("click", async () => {
    button.disabled = true;
    say("Registering this browser…");
    try { await subscribe(); } catch (error) { say(error.message); }
    button.disabled = false;
  });
} else if (button) {
  say(window.isSecureContext ? "This browser does not support notifications." : "Browser notifications need a secure address: open this page over https.");
}
