// The cassette of the session: what it holds and how often each interaction was used in this run, what a
// scanner finds in it, how it differs from another one, and what it would be as a backend. The mode and the
// cassette are set here.

import { get, put } from "./api.js";
import { comparison } from "./comparison.js";
import { attempt, announce, button, byId, element, fill } from "./dom.js";
import { look } from "./interaction.js";
import { promotion } from "./promotion.js";
import { secrets } from "./secrets.js";
import { counted, oneLine, visible } from "./text.js";

const MODES = {
  none: "replay only", once: "record if the cassette is new, else replay",
  new_episodes: "replay, and record what is new",
  all: "ask the origin, and replace", passthrough: "ask the origin, record nothing",
};

const PARTS = [
  { id: "interactions", name: "Interactions", draw: interactions },
  { id: "secrets", name: "Secrets", draw: secrets },
  { id: "comparison", name: "Compare", draw: comparison },
  { id: "promotion", name: "As a backend", draw: promotion },
];

let state = null;
/** Whose cassette is shown; null for requests that name no session. */
let session = null;
let part = "interactions";
const nameOf = (path) => path?.split("/").filter(Boolean).at(-1);
const query = () => ({ session: session ?? undefined });

/** Shows the state of the proxy in the head of the page. */
export function stateIs(next) {
  state = next;
  const name = nameOf(next.cassette);
  fill(
    byId("state"), element("span", {}, next.mode),
    name && [" · ", element("strong", { title: next.cassette }, visible(name))],
    next.upstream && [" → ", element("span", { class: "origin" }, visible(next.upstream))]);
}

export function forSession(name) {
  session = name;
  fill(byId("cassette-content"));
}

/** Draws the view; of its parts, only the interactions change while it is shown. */
export function draw() {
  const content = byId("cassette-content");
  const isNew = !byId("cassette-controls");
  if (isNew) {
    fill(content, element("div", { id: "cassette-controls" }), parts(),
      element("div", { id: "cassette-part" }));
  }
  return attempt(async () => {
    const [own, names] = session ? await Promise.all([get("/v1/health", query()), cassettes()])
      : [state, await cassettes()];
    fill(byId("cassette-controls"), controls(own, names));
    if (isNew || part === "interactions") await drawPart(own, names);
  });
}

const cassettes = () => get("/v1/cassettes").catch(() => []);

const drawPart = (own, names) =>
  PARTS.find(({ id }) => id === part).draw(byId("cassette-part"), { state: own, session, names, redraw });

function redraw() {
  fill(byId("cassette-content"));
  return draw();
}

function parts() {
  return element("div", { class: "choices", role: "group", "aria-label": "Parts of the cassette" },
    PARTS.map(({ id, name }) => {
      const choice = button(name, () => { part = id; redraw(); }, { kind: "quiet" });
      choice.setAttribute("aria-pressed", String(id === part));
      return choice;
    }));
}

function controls(own, names) {
  const mode = element(
    "select", { id: "mode" }, Object.entries(MODES).map(([name, meaning]) =>
      element("option", { value: name, selected: name === own?.mode }, `${name}: ${meaning}`)));
  mode.addEventListener("change", () => attempt(async () => {
    const before = own?.mode;
    await put("/v1/mode", { mode: mode.value }, query());
    announce(`The mode is ${mode.value}.`,
      before && (() => attempt(() => put("/v1/mode", { mode: before }, query()).then(redraw))));
  }).then(redraw));
  const name = element("input", {
    id: "cassette-name", placeholder: "name", pattern: "[A-Za-z0-9_][A-Za-z0-9._\\-]{0,99}",
    autocomplete: "off",
  });
  name.setAttribute("list", "cassette-names");
  const known = element("datalist", { id: "cassette-names" }, names.map((one) =>
    element("option", { value: one.name })));
  return element(
    "div", { class: "controls" },
    session && element("p", { class: "note" }, `Of session ${oneLine(session, 100)}`),
    element("span", { class: "row" }, element("label", { for: "mode" }, "Mode"), mode),
    element("span", { class: "row" },
      element("label", { for: "cassette-name" }, "Another cassette"), name, known,
      button("Switch to it", () => attempt(async () => {
        const before = nameOf(own?.cassette);
        const other = name.value.trim();
        await put("/v1/cassette", { name: other }, query());
        announce(`The cassette is ${other}.`, before && (() =>
          attempt(() => put("/v1/cassette", { name: before }, query()).then(redraw))));
        redraw();
      }))));
}

async function interactions(place, { state: own }) {
  const all = await get("/v1/cassette/interactions", query());
  const unused = all.filter(({ hits }) => hits === 0).length;
  const drifted = all.filter(({ drifted }) => drifted).length;
  const path = own?.cassette;
  fill(
    place,
    path ? element("p", { class: "note" },
      `${visible(path)}: ${counted(all.length, "interaction")}, ${unused} unused in this run`,
      drifted > 0 && `, ${drifted} with drift`)
      : element("p", { class: "none" }, "There is no cassette."),
    all.length > 0 && table(all));
}

function table(all) {
  const isNumber = (title) => title === "used" || title === "status";
  return element(
    "div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Interactions" },
    element(
      "table", { class: "interactions" },
      element("thead", {}, element("tr", {}, ["request", "status", "used", "drift", "file"].map((title) =>
        element("th", { scope: "col", class: isNumber(title) ? "number" : undefined }, title)))),
      element("tbody", {}, all.map((one) => element(
        "tr", { class: one.hits ? "" : "unused" },
        element("th", { scope: "row", class: "code" }, oneLine(`${one.method} ${one.target}`, 300)),
        element("td", { class: "number status", "data-class": Math.floor(one.status / 100) }, one.status),
        element("td", { class: "number" }, one.hits || "unused"),
        element("td", {}, one.drifted ? counted(one.drifted, "time") : ""),
        element("td", {}, button(oneLine(one.file, 200), () => look(one.file, session),
          { kind: "link", title: `Show ${one.file}` })))))));
}
