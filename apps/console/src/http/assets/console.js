// Conveniences only: every page works without this file.

const zone = Intl.DateTimeFormat(undefined, { timeZoneName: "short" });

/** The viewer's own time first, UTC beside it. */
function showLocalTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.dataset.local = "";
    const local = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
    const name = zone.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "";
    const utc = document.createElement("span");
    utc.className = "utc";
    utc.textContent = time.textContent;
    time.replaceChildren(`${local} ${name} `, utc);
  }
}

function addCopyButtons(root) {
  if (navigator.clipboard === undefined) return;
  for (const holder of root.querySelectorAll("[data-copy]:not([data-ready])")) {
    holder.dataset.ready = "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${holder.dataset.copy}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(holder.dataset.copy);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    holder.append(" ", button);
  }
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
    time.textContent = `${event.published_at.slice(0, 19).replace("T", " ")} UTC`;
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
