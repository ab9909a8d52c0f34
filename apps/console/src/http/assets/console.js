// Conveniences only: every page works without this file.

const zone = Intl.DateTimeFormat(undefined, { timeZoneName: "short" });

/** Puts the viewer's own time before UTC, in the tooltip of each time. */
function showLocalTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.dataset.local = "";
    const local = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
    const name = zone.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
    time.title = `${local} ${name} · ${time.title}`;
  }
}

function addCopyButtons(root) {
  if (navigator.clipboard === undefined) return;
  for (const holder of root.querySelectorAll("[data-copy]:not([data-ready])")) {
    holder.dataset.ready = "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-ghost btn-sm p-1";
    button.title = "Copy";
    button.append(iconOf("copy"));
    button.setAttribute("aria-label", `Copy ${holder.dataset.copy}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(holder.dataset.copy);
      button.replaceChildren(iconOf("circle-check"));
      setTimeout(() => button.replaceChildren(iconOf("copy")), 1500);
    });
    holder.append(" ", button);
  }
}

/** An icon of the page's set. */
function iconOf(name) {
  const icon = document.querySelector("svg.icon").cloneNode(true);
  const use = icon.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${name}`));
  return icon;
}

/** Follows new events; the page already shows the latest ones. */
function followTail(list) {
  const state = document.getElementById("tail-state");
  const source = new EventSource(list.dataset.tail);
  source.onopen = () => (state.textContent = "Following new events.");
  source.onerror = () => (state.textContent = "The connection was lost; trying again.");
  source.onmessage = (message) => {
    const { position, event } = JSON.parse(message.data);
    const item = document.createElement("li");
    const type = document.createElement("strong");
    type.textContent = event.type;
    const time = document.createElement("time");
    time.dateTime = event.published_at;
    time.title = `${event.published_at.slice(0, 19).replace("T", " ")} UTC`;
    time.textContent = "just now";
    const data = document.createElement("pre");
    data.textContent = JSON.stringify(event.data, null, 2);
    item.append(`${position} `, type, " ", time, data);
    list.prepend(item);
    showLocalTimes(item);
    while (list.children.length > 200) list.lastElementChild.remove();
  };
}

showLocalTimes(document);
addCopyButtons(document);
for (const list of document.querySelectorAll("[data-tail]")) followTail(list);
for (const select of document.querySelectorAll("form.filters select[name=client]"))
  select.addEventListener("change", () => select.form.requestSubmit());
document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, select, textarea, [contenteditable]") !== null;
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.getElementById("search-q")?.focus();
});
