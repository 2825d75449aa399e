// The inspector: begins here, and joins the parts.

import { takeAccess, whenAccessIsLost } from "./api.js";
import * as cassette from "./cassette.js";
import { announce, byId, complain, element, fill } from "./dom.js";
import * as exchange from "./exchange.js";
import { follow } from "./feed.js";
import { SOURCES, toggled } from "./filter.js";
import { bind, help } from "./keys.js";
import { List } from "./list.js";
import * as overrides from "./overrides.js";
import { Rows, row } from "./rows.js";
import { count } from "./text.js";

const rows = new Rows();
const list = new List(rows, exchange.open);
const VIEWS = ["requests", "overrides", "cassette"];
let view = "requests";
let isPaused = false;
/** What came while the list was paused. */
let waiting = [];
let overridesVersion;

// MARK: Views

function show(name) {
  view = name;
  for (const other of VIEWS) {
    byId(other).hidden = other !== name;
    byId(`show-${other}`).setAttribute("aria-current", other === name ? "page" : "false");
  }
  if (name === "overrides") overrides.draw();
  if (name === "cassette") cassette.draw();
  if (name === "requests") list.changed();
}

// MARK: The list

function add(added) {
  if (isPaused) {
    waiting.push(...added);
    // The page's memory is bounded while it is paused, too.
    if (waiting.length > 55_000) waiting = waiting.slice(-50_000);
    byId("pause").textContent = `Resume (${count(waiting.length)})`;
    return;
  }
  rows.add(added);
  list.changed();
  sourcesChanged();
}

function pause(does) {
  isPaused = does;
  byId("pause").setAttribute("aria-pressed", does);
  byId("pause").textContent = does ? "Resume" : "Pause";
  if (!does) add(waiting.splice(0));
}

function clear() {
  rows.clear();
  waiting = [];
  list.selected = null;
  list.changed();
  sourcesChanged();
  announce("The list is empty. The request log of the proxy still has them.");
}

function filterChanged() {
  const line = byId("filter");
  const unknown = rows.filter(line.value);
  line.setAttribute("aria-invalid", unknown.length > 0);
  byId("filter-problem").textContent = unknown.length
    ? `There is no ${unknown[0]}: (press ? for those there are)` : "";
  list.changed();
  sourcesChanged();
}

function setFilter(text) {
  byId("filter").value = text;
  filterChanged();
}

/** The counts of who responded, each of which filters by itself. */
function sourcesChanged() {
  if (sourcesChanged.waits) return;
  sourcesChanged.waits = true;
  setTimeout(() => {
    sourcesChanged.waits = false;
    const words = byId("filter").value.split(/\s+/);
    const place = byId("sources");
    for (const name of Object.values(SOURCES)) {
      const number = rows.counts.get(name) ?? 0;
      const word = `from:${name}`;
      let chip = place.querySelector(`[data-source="${name}"]`);
      if (!chip) {
        chip = place.appendChild(element("button", {
          type: "button", class: `chip ${name}`, "data-source": name,
          on: { click: () => setFilter(toggled(byId("filter").value, word)) },
        }));
      }
      chip.hidden = number === 0 && !words.includes(word);
      chip.setAttribute("aria-pressed", words.includes(word));
      fill(chip, `${name} `, element("span", {}, count(number)));
    }
  }, 200);
}

// MARK: Keys

const onRequests = (act) => () => (view === "requests" ? act() : false);
const moves = (by) => onRequests(() => list.move(by(), exchange.isOpen()));

bind([
  { keys: ["j", "ArrowDown"], does: "the next request",
    act: (event) => isInside(event, "#exchange") ? false : moves(() => 1)() },
  { keys: ["k", "ArrowUp"], does: "the previous request",
    act: (event) => isInside(event, "#exchange") ? false : moves(() => -1)() },
  { keys: ["PageDown"], does: "a page down",
    act: (event) => isInside(event, "#exchange") ? false : moves(() => list.page)() },
  { keys: ["PageUp"], does: "a page up",
    act: (event) => isInside(event, "#exchange") ? false : moves(() => -list.page)() },
  { keys: ["g"], does: "the first request", act: moves(() => -Infinity) },
  { keys: ["G"], does: "the last request", act: moves(() => Infinity) },
  { keys: ["Enter"], does: "open the request",
    act: onRequests(() => (list.selected ? list.move(0, true) : false)) },
  { keys: ["Escape"], does: "close the request, or leave the filter", act: () => {
    if (document.activeElement === byId("filter")) byId("rows").focus();
    else { exchange.close(); byId("rows").focus(); }
  } },
  { keys: ["/"], does: "filter", act: () => { show("requests"); byId("filter").focus(); } },
  { keys: ["f"], does: "follow the latest request", act: onRequests(() => list.follow(!list.follows)) },
  { keys: ["p"], does: "pause and resume", act: onRequests(() => pause(!isPaused)) },
  { keys: ["c"], does: "clear the list", act: onRequests(clear) },
  { keys: ["1", "2", "3", "4", "5", "6"],
    does: "Why, Request, Response, Side by side, Timing, Messages of a WebSocket", act: (event) =>
    (exchange.isOpen() ? exchange.tabAt(Number(event.key) - 1) : false) },
  ...exchange.ACTIONS.map(({ key, title }) =>
    ({ keys: [key], does: title, act: onRequests(() => exchange.act(key)) })),
  { keys: ["R"], does: "the requests", act: () => show("requests") },
  { keys: ["O"], does: "the overrides in force", act: () => show("overrides") },
  { keys: ["C"], does: "the cassette", act: () => show("cassette") },
  { keys: ["?"], does: "these keys", act: help },
]);

function isInside(event, selector) { return Boolean(event.target.closest(selector)); }

for (const name of VIEWS) byId(`show-${name}`).addEventListener("click", () => show(name));
byId("filter").addEventListener("input", filterChanged);
byId("pause").addEventListener("click", () => pause(!isPaused));
byId("follow").addEventListener("click", () => list.follow(!list.follows));
byId("clear").addEventListener("click", clear);
byId("help").addEventListener("click", help);
byId("exchange-close").addEventListener("click", () => { exchange.close(); byId("rows").focus(); });
byId("add-override").addEventListener("click", overrides.add);
byId("save-overrides").addEventListener("click", overrides.save);
byId("session").addEventListener("change", () => {
  const name = byId("session").value;
  overrides.forSession(name || null);
  cassette.forSession(name || null);
  if (view === "overrides") overrides.draw();
  if (view === "cassette") cassette.draw();
});

// MARK: The feed

let sessionNames = "";

function sessionsChanged(names = []) {
  if (sessionNames === names.join("\n")) return;
  sessionNames = names.join("\n");
  const select = byId("session");
  const chosen = select.value;
  byId("session-choice").hidden = names.length === 0;
  fill(select, ["", ...names].map((name) =>
    element("option", { value: name, selected: name === chosen }, name || "no session")));
}

/** What the cassette view shows of the state; counts of requests change all the time. */
const outline = ({ mode, cassette, interactions }) => JSON.stringify([mode, cassette, interactions]);
let lastOutline = "", lastDrawn = 0;

function stateChanged(state) {
  cassette.stateIs(state);
  sessionsChanged(state.sessionNames);
  const rulesChanged = overridesVersion !== state.overridesVersion;
  overridesVersion = state.overridesVersion;
  const cassetteChanged = outline(state) !== lastOutline;
  lastOutline = outline(state);
  // Counts are brought up to date once a second, and never under somebody's fingers.
  const isDue = performance.now() - lastDrawn > 1000 && !byId(view).contains(document.activeElement);
  if (isDue) lastDrawn = performance.now();
  if (rulesChanged || view === "overrides" && isDue) overrides.draw();
  if (view === "cassette" && (isDue || cassetteChanged
    && !isInside({ target: document.activeElement }, "#cassette"))) cassette.draw();
}

function connected(isConnected) {
  document.body.dataset.connected = isConnected;
  byId("connection").textContent = isConnected ? "live" : "connection lost; trying again";
}

function ended(problem) {
  document.body.dataset.connected = false;
  byId("connection").textContent = "no access";
  byId("empty-text").textContent = `This page has no access to the proxy: ${problem.message}. `
    + "Run “tapedeck ui” again for a new link.";
  byId("empty").hidden = false;
  complain(problem);
}

whenAccessIsLost(ended);
// A new link, followed in the tab that shows the page already, is only another fragment to the browser.
addEventListener("hashchange", () => location.reload());
show("requests");
connected(false);
try {
  await takeAccess();
  follow({
    requests: (entries) => add(entries.map(row)),
    gap: (gap) => add([{ gap: gap.count }]),
    state: stateChanged,
    connected,
  });
} catch (problem) { ended(problem); }
