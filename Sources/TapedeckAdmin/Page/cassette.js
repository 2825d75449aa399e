// The cassette: what it holds, how often each interaction was used in this run, and which mode and cassette are in force.

import { get, put } from "./api.js";
import { pathOf } from "./actions.js";
import { showBody, table as fields } from "./body.js";
import { show } from "./dialogs.js";
import { announce, attempt, button, byId, element, fill } from "./dom.js";
import { conversation } from "./messages.js";
import { recording } from "./model.js";
import { counted, oneLine, visible } from "./text.js";

const MODES = {
  none: "replay only", once: "record if the cassette is new, else replay",
  new_episodes: "replay, and record what is new",
  all: "ask the origin, and replace", passthrough: "ask the origin, record nothing",
};

let state = null;

/** Shows the state of the proxy, here and in the head of the page. */
export function stateIs(next) {
  state = next;
  const name = next.cassette?.split("/").filter(Boolean).at(-1);
  fill(
    byId("state"), element("span", {}, next.mode),
    name && [" · ", element("strong", { title: next.cassette }, visible(name))],
    next.upstream && [" → ", element("span", { class: "origin" }, visible(next.upstream))]);
}

export function draw() {
  const content = byId("cassette-content");
  if (!byId("cassette-controls")) fill(content, element("div", { id: "cassette-controls" }),
    element("div", { id: "cassette-interactions" }));
  fill(byId("cassette-controls"), controls());
  return attempt(async () => {
    const interactions = await get("/v1/cassette/interactions");
    const { cassette } = state ?? {};
    const unused = interactions.filter(({ hits }) => hits === 0).length;
    const drifted = interactions.filter(({ drifted }) => drifted).length;
    fill(
      byId("cassette-interactions"),
      cassette ? element(
        "p", { class: "note" }, `${visible(cassette)}: ${counted(interactions.length, "interaction")}, ${unused} unused in this run`,
        drifted > 0 && `, ${drifted} with drift`) : element("p", { class: "none" }, "There is no cassette."),
      interactions.length > 0 && table(interactions));
  });
}

function controls() {
  const mode = element(
    "select", { id: "mode" }, Object.entries(MODES).map(([name, meaning]) =>
      element("option", { value: name, selected: name === state?.mode }, `${name}: ${meaning}`)));
  mode.addEventListener("change", () => attempt(async () => {
    const before = state?.mode;
    await put("/v1/mode", { mode: mode.value });
    announce(`The mode is ${mode.value}.`,
      before && (() => attempt(() => put("/v1/mode", { mode: before }))));
  }).then(draw));
  const name = element("input",
    { id: "cassette-name", placeholder: "name", pattern: "[A-Za-z0-9_][A-Za-z0-9._\\-]{0,99}" });
  const other = () => name.value.trim();
  return element(
    "div", { class: "controls" },
    element("span", { class: "row" }, element("label", { for: "mode" }, "Mode"), mode),
    element("span", { class: "row" }, element("label", { for: "cassette-name" }, "Another cassette"), name,
      button("Switch to it", () => attempt(async () => {
        const before = state?.cassette?.split("/").filter(Boolean).at(-1);
        await put("/v1/cassette", { name: other() });
        announce(`The cassette is ${other()}.`,
          before && (() => attempt(() => put("/v1/cassette", { name: before }).then(draw))));
        draw();
      }))));
}

function table(interactions) {
  return element(
    "div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Interactions" },
    element(
      "table", { class: "interactions" },
      element("thead", {}, element("tr", {}, ["request", "status", "used", "drift", "file"].map((title) =>
        element("th", { scope: "col", class: title === "used" || title === "status" ? "number" : undefined },
          title)))),
      element("tbody", {}, interactions.map((one) => element(
        "tr", { class: one.hits ? "" : "unused" },
        element("th", { scope: "row", class: "code" }, oneLine(`${one.method} ${one.target}`, 300)),
        element("td", { class: "number status", "data-class": Math.floor(one.status / 100) }, one.status),
        element("td", { class: "number" }, one.hits || "unused"),
        element("td", {}, one.drifted ? counted(one.drifted, "time") : ""),
        element("td", {}, button(oneLine(one.file, 200), () => look(one),
          { kind: "link", title: `Show ${one.file}` })))))));
}

const look = (one) => attempt(async () => {
  const { request, response, webSocket } = recording(await get(pathOf(one.file)));
  show(
    oneLine(one.file, 200), element("h3", {}, "Request"),
    element("p", { class: "code" }, oneLine(`${one.method} ${one.target}`)), fields(request.fields),
    showBody(request.body, request.type, {}), element("h3", {}, `Response ${one.status}`),
    fields(response.fields),
    showBody(response.body, response.type, {}),
    webSocket && [element("h3", {}, "Messages"), conversation(webSocket)]);
});
