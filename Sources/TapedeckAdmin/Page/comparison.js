// Two cassettes compared: which interactions were added, removed or changed, and where.

import { get } from "./api.js";
import { table as differencesTable } from "./compare.js";
import { attempt, button, element, fill } from "./dom.js";
import { counted, oneLine, visible } from "./text.js";

const SHOWN = 200;
const WORDS = { added: "only in the other one", removed: "only in this one", changed: "differs" };
/** What was compared last, so that it is still chosen when the view is drawn anew. */
let chosen = "";

export function comparison(place, { state, session, names }) {
  if (!state?.cassette) return fill(place, element("p", { class: "none" }, "There is no cassette."));
  const own = state.cassette.split("/").filter(Boolean).at(-1);
  const others = names.map(({ name }) => name).filter((name) => name !== own);
  if (!others.length) return fill(place, element("p", { class: "none" },
    "There is no other cassette beside this one."));
  const other = element("select", { id: "other-cassette" }, others.map((name) =>
    element("option", { value: name, selected: name === chosen }, name)));
  const result = element("div", { class: "stack" });
  const compare = () => attempt(async () => {
    chosen = other.value;
    fill(result, element("p", { class: "note" }, "comparing…"));
    const found = await get("/v1/cassette/comparison", { session: session ?? undefined, with: chosen })
      .catch((error) => { fill(result); throw error; });
    fill(result, shown(found, own, chosen));
  });
  fill(place, element("div", { class: "row" },
    element("label", { for: "other-cassette" }, `Compare ${oneLine(own, 100)} with`), other,
    button("Compare", compare)), result);
}

function shown({ rules, changes, equal }, own, other) {
  const counts = ["changed", "added", "removed"].map((word) =>
    `${changes.filter(({ change }) => change === word).length} ${word}`);
  const titles = [own, other];
  return [
    element("p", { class: "note" }, `${counts.join(", ")}, ${equal} the same`),
    rules.length > 0 && [element("h3", {}, "The cassettes as a whole"), differences(rules, titles, "Rules")],
    changes.slice(0, SHOWN).map((change) => one(change, titles)),
    changes.length > SHOWN && element("p", { class: "notice" },
      `${counted(changes.length - SHOWN, "more change")}; tapedeck diff lists them all`),
  ];
}

function one(change, titles) {
  const line = oneLine(`${change.method} ${change.target}`, 300);
  const files = [...new Set([change.oldFile, change.newFile].filter(Boolean))].map((file) => visible(file));
  return element("section", { class: `near ${change.change}` },
    element("h4", {}, line, " ", element("span", { class: "note" }, WORDS[change.change] ?? change.change)),
    element("p", { class: "note code" }, files.join(" → ")),
    change.differences.length > 0 && differences(change.differences, titles, line));
}

const differences = (list, titles, label) => differencesTable(
  list.map(({ field, old, new: now }) => ({ path: field, left: old, right: now })), titles, label);
