/*
 * Keeps the page up to date. Each second the script asks whether something has changed, and then replaces the changed parts with those of the page that the
 * server renders. The script builds no HTML itself, because messages come from other people and only the server's renderer escapes them.
 */
const refreshMs = 1000;
const parts = ["channels", "faults", "messages"];
let version = document.body.dataset.version;

async function refresh() {
  const response = await fetch(location.href, { headers: { "if-none-match": version } });
  if (response.status === 304) return;
  if (!response.ok) throw new Error(`status ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  version = page.body.dataset.version;
  const focusedId = document.activeElement?.id;
  for (const id of parts) document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  if (focusedId) document.getElementById(focusedId)?.focus();
}

async function keepFresh() {
  try {
    await refresh();
  } catch {
    document.getElementById("faults").textContent = "The sink does not answer.";
    version = "";
  }
  setTimeout(keepFresh, refreshMs);
}

setTimeout(keepFresh, refreshMs);
