// The cassette as a stateful backend: the resources that “tapedeck promote” would declare, how well they
// reproduce the recording, and a click that puts them in force.

import { call, get, remove } from "./api.js";
import { copy, download } from "./dialogs.js";
import { announce, attempt, button, element, fill } from "./dom.js";
import { counted, oneLine, visible } from "./text.js";

const SHOWN = 50;
let confidence = 50;

export function promotion(place, { state, session }) {
  if (!state?.cassette) return fill(place, element("p", { class: "none" }, "There is no cassette."));
  const least = element("input", { type: "number", id: "confidence", min: 0, max: 100, value: confidence });
  const host = element("input", { id: "promoted-host", placeholder: "any", autocomplete: "off" });
  const result = element("div", { class: "stack" });
  const preview = () => attempt(async () => {
    confidence = Number(least.value);
    fill(result, element("p", { class: "note" }, "looking for resources…"));
    const found = await get("/v1/cassette/promotion",
      { session: session ?? undefined, confidence, host: host.value.trim() })
      .catch((error) => { fill(result); throw error; });
    fill(result, shown(found, session));
  });
  fill(place, element("div", { class: "row" },
    element("label", { for: "confidence" }, "Least confidence, %"), least,
    element("label", { for: "promoted-host" }, "Host"), host, button("Preview", preview)), result);
  return preview();
}

function shown({ resources, exchanges, document, advice }, session) {
  if (!resources.length) {
    return element("p", { class: "none" },
      "No collection was found: record a list, an object by its id, or the creation of an object.");
  }
  const text = JSON.stringify(document, null, 2);
  const differing = exchanges.filter(({ difference }) => difference);
  const served = exchanges.filter(({ resource }) => resource).length;
  return [
    advice && element("p", { class: "notice" }, visible(advice)),
    table(resources),
    resources.flatMap(({ path, notes }) => notes.map((note) =>
      element("p", { class: "note" }, visible(`${path}: ${note}`)))),
    element("p", { class: "note" },
      `${counted(served, "request")} served by the store, ${exchanges.length - served} by the cassette`),
    differing.length > 0 && element("details", {},
      element("summary", {}, counted(differing.length, "response would differ", "responses would differ")),
      element("ul", {}, differing.slice(0, SHOWN).map(({ request, difference }) =>
        element("li", {}, visible(`${request}: ${difference}`)))),
      differing.length > SHOWN && element("p", { class: "notice" }, `${differing.length - SHOWN} more`)),
    element("div", { class: "row" },
      button("Use these resources now", () => use(document, session), { kind: "main" }),
      button("Copy", () => copy(text, "Copied.", announce)),
      button("Download", () => download("overrides.json", text, "application/json"))),
    element("details", {}, element("summary", {}, "The overrides file"), element("pre", {}, visible(text))),
  ];
}

function table(resources) {
  const titles = ["path", "objects", "seen", "assumed", "reproduced", "confidence"];
  const isNumber = (title) => !["path", "seen", "assumed"].includes(title);
  return element(
    "div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Resources" },
    element("table", { class: "interactions" },
      element("thead", {}, element("tr", {}, titles.map((title) =>
        element("th", { scope: "col", class: isNumber(title) ? "number" : undefined }, title)))),
      element("tbody", {}, resources.map((one) => element(
        "tr", { class: one.taken ? "" : "unused" },
        element("th", { scope: "row", class: "code" }, oneLine(one.path, 300)),
        element("td", { class: "number" }, one.objects || ""),
        element("td", {}, oneLine(one.seen.join(", "), 300)),
        element("td", {}, oneLine(one.assumed.join(", "), 300)),
        element("td", { class: "number" }, `${one.reproduced} of ${one.answered}`),
        element("td", { class: "number" },
          `${Math.round(one.confidence * 100)} %${one.taken ? "" : ", left out"}`))))));
}

const use = (document, session) => attempt(async () => {
  const of = { session: session ?? undefined };
  const added = [];
  const undo = () => Promise.all(added.map((id) => remove(`/v1/resources/${encodeURIComponent(id)}`, of)));
  try {
    for (const resource of document.resources) {
      const rule = await call("POST", "/v1/resources", JSON.stringify(resource), of);
      added.push(rule.id);
    }
  } catch (error) {
    await undo();
    throw error;
  }
  announce(`${counted(added.length, "resource")} in force, from the next request on.`,
    () => attempt(async () => { await undo(); announce("Removed them."); }));
});
