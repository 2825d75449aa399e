// Side by side: the request beside its recording or a near miss, and what differs between them.

import { button, element } from "./dom.js";
import { differences, parse } from "./json.js";
import { marked } from "./body.js";
import { counted, visible } from "./text.js";

const SHOWN = 500;

/** What was sent to one place several times is compared in order. */
function fieldDifferences(left, right) {
  const collect = (fields) => {
    const values = new Map();
    for (const [name, value] of fields) {
      const key = name.toLowerCase();
      values.set(key, [...(values.get(key) ?? []), value]);
    }
    return values;
  };
  const [one, other] = [collect(left), collect(right)];
  return [...new Set([...one.keys(), ...other.keys()])].map((name) => ({
    path: name, left: one.get(name)?.join("\n"), right: other.get(name)?.join("\n"),
  }));
}

function bodyDifferences(left, right) {
  const [one, other] = [left.text, right.text];
  if (one === other && one !== null) return [];
  const [json, otherJSON] = [one && parse(one), other && parse(other)];
  if (json && otherJSON) return differences(json, otherJSON);
  const words = (body) => (body.text === null ? `${body.size} bytes` : body.text || undefined);
  return one === null && other === null && left.octets.every((octet, place) => octet === right.octets[place])
    && left.octets.length === right.octets.length ? []
      : [{ path: "body", left: words(left), right: words(right) }];
}

/**
 * Two messages in one table: their first lines, fields and bodies.
 * @param titles what the two are, such as ["this request", "get-users-3f9a1c.json"].
 */
export function messages(left, right, titles) {
  const lines = [{ path: "line", left: left.line, right: right.line }];
  const fields = fieldDifferences(left.fields, right.fields);
  const bodies = bodyDifferences(left.body, right.body);
  const isDifferent = ({ left, right }) => left !== right;
  const equal = [...lines, ...fields].filter((row) => !isDifferent(row));
  const different = [...lines, ...fields].filter(isDifferent);
  return [
    table([...different, ...bodies], titles, `${titles[0]} and ${titles[1]}`),
    bodies.length === 0 && (left.body.size > 0 || right.body.size > 0)
      && element("p", { class: "note" },
        left.body.isCut || right.body.isCut ? "The bodies are equal as far as they are shown."
        : "The bodies are equal."),
    equal.length > 0 && element(
      "details", {}, element("summary", {}, counted(equal.length, "equal field")),
      table(equal, titles, "Equal fields")),
  ];
}

/** @param act an additional cell of a row, such as a button that ignores the field. */
export function table(rows, titles, label, act) {
  if (!rows.length) return element("p", { class: "note" }, "Nothing differs.");
  const cell = (text, kind) => element(
    "td", { class: text === undefined || text === null ? "absent" : kind },
    text === undefined || text === null ? "absent"
      : marked(visible(text.length > 5000 ? `${text.slice(0, 5000)}…` : text)));
  return element(
    "div", { class: "wide", tabIndex: 0, role: "region", "aria-label": label },
    element(
      "table", { class: "differences" },
      element("thead", {}, element("tr", {},
        ["where", ...titles, ...(act ? ["cure"] : [])].map((title) =>
        element("th", { scope: "col" }, visible(title))))),
      element("tbody", {}, rows.slice(0, SHOWN).map((row) => {
        const isDifferent = row.left !== row.right;
        return element(
          "tr", { class: isDifferent ? "differs" : "" }, element("th", { scope: "row" }, visible(row.path)),
          cell(row.left, "left"), cell(row.right, "right"), act && element("td", {}, act(row)));
      }))),
    rows.length > SHOWN && element("p", { class: "notice" }, `${rows.length - SHOWN} more`));
}

/** The near misses of a request: each with the fields that differ, and how to have them ignored. */
export function nearMisses(miss, { ignore, beside }) {
  return miss.nearest.map((near) => element(
    "section", { class: "near" },
    element("h4", {}, visible(near.file), " ", element("span", { class: "note" }, visible(near.request))),
    table(
      near.differences.map((difference) => ({
        path: difference.field, left: difference.received, right: difference.recorded,
        ignoredBy: difference.ignoredBy,
      })),
      ["this request", "recorded"], `What differs from ${near.file}`,
      (row) => row.ignoredBy && button("Ignore", () => ignore(row.ignoredBy),
        { title: `Ignore ${row.path} in matching: --match ${row.ignoredBy}` })),
    beside && button("Side by side", (event) => beside(near, event.target))));
}
