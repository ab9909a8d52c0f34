import { channelNames, describe } from "./describe.js";
import { element } from "./element.js";
import { renderDetail } from "./render-detail.js";

const shownMax = 300;
const refreshMs = 1000;
const state = { channel: "", search: "", messages: [], chosenId: "", seen: "" };

const channelsBox = document.getElementById("channels");
const list = document.getElementById("list");
const empty = document.getElementById("empty");
const detail = document.getElementById("detail");
const faultsLine = document.getElementById("faults");

const channelButtons = new Map(
  [["", "All"], ...Object.entries(channelNames)].map(([channel, name]) => {
    const count = element("span", { class: "count" });
    const button = element("button", { type: "button", class: "btn" }, name, count);
    button.addEventListener("click", () => {
      state.channel = channel;
      state.seen = "";
      refresh();
    });
    return [channel, { button, count }];
  }),
);
channelsBox.append(...[...channelButtons.values()].map(({ button }) => button));

document.getElementById("search").addEventListener("input", (event) => {
  state.search = event.target.value.trim().toLowerCase();
  renderList();
});

document.getElementById("clear").addEventListener("click", async () => {
  await fetch("messages", { method: "DELETE" });
  choose("");
  refresh();
});

/** Reads again only when the counts have changed, so an idle page costs the sink nothing. */
async function refresh() {
  const [counts, faults] = await Promise.all([readJson("counts"), readJson("faults")]);
  renderCounts(counts);
  const left = faults.reduce((sum, fault) => sum + fault.times, 0);
  faultsLine.textContent = left === 0 ? "" : `${left} ${left === 1 ? "fault" : "faults"} waiting`;
  const seen = JSON.stringify([counts, state.channel]);
  if (seen === state.seen) return;
  const filter = state.channel === "" ? "" : `channel=${state.channel}&`;
  const messages = await readJson(`messages?${filter}newest=${shownMax}`);
  state.messages = messages.reverse();
  state.seen = seen;
  renderList();
}

async function readJson(path) {
  const response = await fetch(path);
  return response.json();
}

function renderCounts(counts) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  for (const [channel, { button, count }] of channelButtons) {
    count.textContent = String(channel === "" ? all : (counts[channel] ?? 0));
    button.setAttribute("aria-pressed", String(channel === state.channel));
  }
}

function renderList() {
  const focusedId = document.activeElement?.dataset?.id;
  const shown = state.messages.filter((message) => {
    const text = `${message.to} ${describe(message).title}`.toLowerCase();
    return text.includes(state.search);
  });
  list.replaceChildren(...shown.map((message) => element("li", {}, renderItem(message))));
  empty.hidden = shown.length > 0;
  empty.textContent = state.messages.length > 0 ? "Nothing matches." : "Nothing has arrived yet.";
  if (focusedId) list.querySelector(`[data-id="${focusedId}"]`)?.focus();
}

function renderItem(message) {
  const { title, status, isRefused, shortTo } = describe(message);
  const item = element(
    "button",
    { type: "button", class: "item", "aria-current": String(message.id === state.chosenId) },
    element("span", { class: "title" }, title),
    element("span", { class: isRefused ? "status refused" : "status" }, status),
    element("span", { class: "to", title: message.to }, `${channelNames[message.channel]} · ${shortTo}`),
    element("time", { class: "when", datetime: message.received_at }, message.received_at.slice(11, 19)),
  );
  item.dataset.id = message.id;
  item.addEventListener("click", () => choose(message.id));
  return item;
}

function choose(id) {
  state.chosenId = id;
  const message = state.messages.find((candidate) => candidate.id === id);
  const nothing = element("p", { class: "empty" }, "Choose a message to read it.");
  detail.replaceChildren(...(message ? renderDetail(message) : [nothing]));
  detail.scrollTop = 0;
  renderList();
}

async function keepFresh() {
  try {
    await refresh();
  } catch {
    faultsLine.textContent = "The sink does not answer.";
  }
  setTimeout(keepFresh, refreshMs);
}

keepFresh();
