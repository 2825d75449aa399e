// One exchange: why it got its response, what was sent and received, beside its recording.

import { get } from "./api.js";
import * as actions from "./actions.js";
import { marked, showBody, table } from "./body.js";
import { messages, nearMisses } from "./compare.js";
import { announce, attempt, button, byId, element, fill } from "./dom.js";
import { copy } from "./dialogs.js";
import { SOURCES } from "./filter.js";
import { exchange as model, message } from "./model.js";
import { conversation } from "./messages.js";
import { timeline } from "./timeline.js";
import { bytes, duration, oneLine, timeOfDay, visible } from "./text.js";

const TABS = [
  { id: "why", name: "Why", show: why },
  { id: "request", name: "Request", show: (exchange) => side(exchange.request, "request") },
  { id: "response", name: "Response", show: (exchange) => side(exchange.response, "response") },
  { id: "beside", name: "Side by side", show: beside },
  { id: "timing", name: "Timing", show: timing },
  { id: "messages", name: "Messages", show: (exchange) => conversation(exchange.webSocket),
    isFor: (exchange) => exchange.webSocket },
];
const tabs = () => TABS.filter((tab) => !tab.isFor || tab.isFor(current));

/** How bodies are shown: what was chosen last, for requests and for responses. */
const choices = { request: {}, response: {} };
let current = null;
let tab = "why";
let opening;
/** The messages of an open WebSocket are brought up to date this often. */
const TURN = 1000;
let turn;

export const isOpen = () => !byId("exchange").hidden;
export const shownExchange = () => current;

/** Opens the exchange of a row. */
export function open(row) {
  opening?.abort();
  opening = new AbortController();
  const { signal } = opening;
  return attempt(async () => {
    const next = await fetched(row);
    if (signal.aborted) return;
    current = next;
    byId("exchange").hidden = false;
    document.body.classList.add("with-exchange");
    draw();
    followMessages(row, signal);
  });
}

const fetched = async (row) => model({
  ...await get(`/v1/requests/${row.number}`, { session: row.session || undefined, bodies: "exact" }),
  session: row.session || null,
});

/** Brings an open WebSocket up to date, unless somebody has opened one of its messages. */
function followMessages(row, signal, isDrawn = true) {
  clearTimeout(turn);
  if (!current?.webSocket || isDrawn && !current.webSocket.isOpen) return;
  turn = setTimeout(async () => {
    const next = current.webSocket.isOpen ? await fetched(row).catch(() => null) : current;
    if (signal.aborted || !next) return;
    const content = byId("exchange-content");
    const isRead = content.querySelector(".messages > li > details[open]");
    const { scrollTop } = content;
    current = next;
    if (tab === "messages" && !isRead) { draw(); content.scrollTop = scrollTop; }
    followMessages(row, signal, tab !== "messages" || !isRead);
  }, TURN);
}

export function close() {
  opening?.abort();
  clearTimeout(turn);
  current = null;
  byId("exchange").hidden = true;
  document.body.classList.remove("with-exchange");
}

export function selectTab(id) {
  if (!current) return;
  tab = id;
  draw();
}

export function tabAt(index) { if (current && tabs()[index]) selectTab(tabs()[index].id); }

/** The actions of an exchange, each with its key. */
export const ACTIONS = [
  { key: "o", name: "Override", title: "Override this response", act: actions.overrideResponse },
  { key: "x", name: "Fail", title: "Make requests like this one fail", act: actions.fail },
  { key: "w", name: "Forward once", title: "Send it to the origin now, and record nothing",
    act: forwardOnce },
  { key: "r", name: "Record anew", title: "Ask the origin now, and replace the recording",
    isFor: (exchange) => exchange.status !== 101, act: recordAnew },
  { key: "y", name: "curl", title: "Copy as a curl line",
    isFor: (exchange) => exchange.curl ?? exchange.miss?.curl, act: actions.copyCurl },
  { key: "e", name: "HAR", title: "Export as a HAR file", act: actions.exportHAR },
];

export function act(key) {
  const action = ACTIONS.find((action) => action.key === key);
  if (!current || !action || action.isFor && !action.isFor(current)) return false;
  action.act(current);
  return true;
}

function draw() {
  const exchange = current;
  const shown = tabs();
  if (!shown.some(({ id }) => id === tab)) tab = shown[0].id;
  const title = `${exchange.method} ${exchange.origin ?? ""}${exchange.target}`;
  fill(byId("exchange-title"), oneLine(title, 3000));
  byId("exchange-title").title = oneLine(title, 500);
  fill(
    byId("exchange-facts"),
    element("span", { class: "status", "data-class": Math.floor(exchange.status / 100) },
      exchange.status || "none"), " ",
    element("span", {}, visible(exchange.why ?? "")),
    exchange.cutShort && element("strong", {}, " cut short"),
    exchange.failure && element("strong", { class: "problem" }, ` ${visible(exchange.failure.reason)}`));
  fill(byId("exchange-actions"),
    ACTIONS.filter((action) => !action.isFor || action.isFor(exchange)).map((action) =>
    button(action.name, () => action.act(exchange), { key: action.key, title: action.title })));
  fill(byId("exchange-tabs"), shown.map(({ id, name }, index) => {
    const isChosen = id === tab;
    return element("button", {
      type: "button", role: "tab", id: `tab-${id}`, "aria-selected": String(isChosen),
      "aria-controls": "exchange-content",
      tabIndex: isChosen ? 0 : -1, title: `${name} (${index + 1})`,
      on: { click: () => selectTab(id), keydown: (event) => moveTab(event, index) },
    }, name);
  }));
  // On a narrow page, the tabs scroll.
  byId(`tab-${tab}`).scrollIntoView({ block: "nearest", inline: "nearest" });
  const content = byId("exchange-content");
  content.setAttribute("aria-labelledby", `tab-${tab}`);
  fill(content, shown.find(({ id }) => id === tab).show(exchange));
  content.scrollTop = 0;
}

function moveTab(event, index) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const all = tabs();
  const { id } = all[(index + by + all.length) % all.length];
  selectTab(id);
  byId(`tab-${id}`).focus();
}

const MARKS = { answered: "●", applied: "◆", declined: "○" };
const WORDS = { answered: "responded", applied: "changed it", declined: "passed" };

/** The decision chain: each link in order, with its reason. */
function why(exchange) {
  const { decisions = [], miss, recording } = exchange;
  return [
    element("h3", {}, "Decision chain"),
    element("ol", { class: "chain" }, decisions.map(({ link, outcome, why }) => element(
      "li", { class: outcome === "answered" && exchange.source === "unmatched" ? "missed" : outcome },
      element("span", { class: "mark", "aria-hidden": "true" }, MARKS[outcome] ?? "·"),
      element("strong", {}, visible(SOURCES[link] ?? link)), " ",
      element("span", { class: "outcome" }, WORDS[outcome] ?? outcome), why && ": ",
      element("span", { class: "reason" }, marked(visible(why ?? "")))))),
    recording?.drift?.length > 0 && [
      element("h3", {}, "Drift"),
      element("p", { class: "note" }, `It got ${visible(recording.file)}, though these differ:`),
      element("ul", {}, recording.drift.map((text) => element("li", {}, marked(visible(text))))),
    ],
    miss?.nearest?.length > 0 && [
      element("h3", {}, "Nearest recordings"),
      nearMisses(miss, { ignore: actions.ignore, beside: showBeside }),
    ],
    miss?.fixes?.length > 0 && [
      element("h3", {}, "What would cure it"),
      element("ul", { class: "fixes" }, miss.fixes.map(({ because, command }) => element(
        "li", {}, visible(because),
        element("div", { class: "command" }, element("code", {}, visible(command)),
          button("Copy", () => copy(command, "Copied.", announce), { kind: "quiet" }))))),
    ],
  ];
}

function side(message, name) {
  return [
    element("h3", {}, "Fields"),
    message.fields.length ? table(message.fields) : element("p", { class: "none" }, "No fields."),
    element("h3", {}, "Body"), showBody(message.body, message.type, choices[name]), timeline(message.chunks),
  ];
}

const line = (method, target) => `${method} ${target}`;
const withLine = (message, text) => ({ ...message, line: text });

/** For a hit, its recording; for a miss, the nearest one; either way what differs comes first. */
function beside(exchange) {
  const { recording, miss } = exchange;
  if (recording && !recording.request) {
    return element("p", { class: "none" },
      visible(recording.problem ?? `${recording.file} is no longer in the cassette.`));
  }
  if (recording) {
    return [
      element("h3", {}, `Request beside ${visible(recording.file)}`),
      messages(
        withLine(exchange.request, line(exchange.method, exchange.target)),
        withLine(recording.request, recording.line ?? line(exchange.method, exchange.target)),
        ["this request", "recorded"]),
      element("h3", {}, "Response beside what was recorded"),
      messages(
        withLine(exchange.response, String(exchange.status)),
        withLine(recording.response, String(recording.status ?? exchange.status)),
        ["this response", "recorded"]),
      recording.webSocket && [element("h3", {}, "Messages that were recorded"),
        conversation(recording.webSocket)],
    ];
  }
  if (!miss?.nearest?.length) return element("p", { class: "none" },
    "There is no recording to compare it with.");
  const place = element("div", {});
  showNear(exchange, miss.nearest[0], place);
  return [
    miss.nearest.length > 1 && element("div", { class: "choices", role: "group", "aria-label": "Near miss" },
      miss.nearest.map((near) =>
      button(visible(near.file), () => showNear(exchange, near, place), { kind: "quiet" }))),
    place,
  ];
}

function showBeside(near) {
  const exchange = current;
  selectTab("beside");
  const place = element("div", {});
  fill(byId("exchange-content"), place);
  showNear(exchange, near, place);
}

function showNear(exchange, near, place) {
  return attempt(async () => {
    const json = await get(actions.pathOf(near.file), { session: exchange.session ?? undefined });
    fill(
      place, element("h3", {}, `Beside ${visible(near.file)}`),
      messages(
        withLine(exchange.request, line(exchange.method, exchange.target)),
        withLine(message(json.request), json.line ?? near.request),
        ["this request", "recorded"]),
      element("h3", {}, "Response of that recording"),
      showBody(message(json.response).body, message(json.response).type, choices.response));
  });
}

function timing(exchange) {
  return [
    table([
      ["Started", `${timeOfDay(exchange.started)} (${exchange.started})`],
      ["Took", duration(exchange.milliseconds)],
      ["Request body", bytes(exchange.request.body.size)],
      ["Response body", bytes(exchange.response.body.size)],
      ["Number", `${exchange.number}${exchange.session ? ` of session ${exchange.session}` : ""}`],
    ]),
    element("h3", {}, "Chunks of the response"),
    timeline(exchange.response.chunks) ?? element("p", { class: "none" },
      "It came in one piece, or its pace is not known."),
  ];
}

async function forwardOnce(exchange) {
  const forwarded = await actions.forward(exchange);
  if (!showOrigin(exchange, forwarded)) return;
  announce("Forwarded once; nothing was recorded.");
}

async function recordAnew(exchange) { showOrigin(exchange, await actions.recordAnew(exchange)); }

/** What the origin says now, beside what the client got. @returns whether it is shown. */
function showOrigin(exchange, made) {
  if (!made || exchange !== current) return false;
  selectTab("beside");
  const response = message(made.response);
  fill(
    byId("exchange-content"),
    element("h3", {}, `What the origin says now, after ${duration(made.milliseconds)}`),
    messages(
      withLine(exchange.response, String(exchange.status)), withLine(response, String(made.status)),
      ["this response", "the origin now"]),
    element("h3", {}, "Body"), showBody(response.body, response.type, choices.response));
  return true;
}
