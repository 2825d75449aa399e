// JSON as it was written: numbers keep their digits (JSON.parse would round 12345678901234567890), members
// their order, and members that stand twice stand twice. RFC 8259.

import { element } from "./dom.js";
import { visible } from "./text.js";

const DEEPEST = 200;
const TOKEN = new RegExp([
  String.raw`[ \t\n\r]*(?:([{}[\]:,])`,
  String.raw`("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")`,
  String.raw`(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)`, "(true|false|null))",
].join("|"), "y");

/**
 * @returns {kind, text} of a plain value, {kind: "object" | "array", items: [{key, value}]}; null if it is no
 * JSON.
 */
export function parse(text) {
  let place = 0;
  const next = () => {
    TOKEN.lastIndex = place;
    const match = TOKEN.exec(text);
    if (!match) throw new SyntaxError(`at ${place}`);
    place = TOKEN.lastIndex;
    return match;
  };
  const value = (token, depth) => {
    const [, mark, string, number, word] = token;
    if (string !== undefined) return { kind: "string", text: string };
    if (number !== undefined) return { kind: "number", text: number };
    if (word !== undefined) return { kind: "word", text: word };
    if ((mark !== "{" && mark !== "[") || depth > DEEPEST) throw new SyntaxError(`at ${place}`);
    const isObject = mark === "{";
    const [items, end] = [[], isObject ? "}" : "]"];
    for (let token = next(); token[1] !== end; token = next()) {
      if (items.length) {
        if (token[1] !== ",") throw new SyntaxError(`at ${place}`);
        token = next();
      }
      let key = items.length;
      if (isObject) {
        if (token[2] === undefined || next()[1] !== ":") throw new SyntaxError(`at ${place}`);
        key = JSON.parse(token[2]);
        token = next();
      }
      items.push({ key, value: value(token, depth + 1) });
    }
    return { kind: isObject ? "object" : "array", items };
  };
  try {
    const whole = value(next(), 0);
    return text.slice(place).trim() === "" ? whole : null;
  } catch { return null; }
}

/** The text of a plain value, as people read it. */
const plain = (node) => (node.kind === "string" ? JSON.parse(node.text) : node.text);

/** `$.user.roles[0]`, as paths are written in rules (RFC 9535). */
export const pathOf = (path, key) =>
  typeof key === "number" ? `${path}[${key}]`
    : /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;

const FIRST = 200;

/**
 * A tree that opens by branches, and is built as it is opened: a body of 256 KiB can have 100,000 values.
 * @param mark gives a class for the value at a path; values with one are opened.
 */
export function tree(node, { path = "$", key, openTo = 2, mark } = {}) {
  const name = key === undefined ? [] : [
    element("span", { class: "key", title: path },
      visible(typeof key === "number" ? key : JSON.stringify(key))), ": "];
  const kind = mark?.(path);
  if (!node.items) {
    const text = node.text.length > 20_000 ? `${node.text.slice(0, 20_000)}…` : node.text;
    return element("div", { class: `leaf ${kind ?? ""}` }, name,
      element("span", { class: node.kind }, visible(text)));
  }
  const [open, close] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (!node.items.length) return element("div", { class: `leaf ${kind ?? ""}` }, name, open + close);
  const details = element(
    "details", { class: kind ?? "" },
    element("summary", {}, name, open, element("span", { class: "count" }, ` ${node.items.length} `), close));
  const grow = (from) => {
    // As far as the marked one, if there is one.
    const end = Math.max(from + FIRST, mark ? node.items.findIndex(isMarked) + 1 : 0);
    for (const item of node.items.slice(from, end)) {
      const place = pathOf(path, item.key);
      details.append(tree(item.value, { path: place, key: item.key, openTo: openTo - 1, mark }));
    }
    const rest = node.items.length - end;
    if (rest <= 0) return;
    const more = element("button", { type: "button", class: "quiet" }, `${rest} more`);
    more.addEventListener("click", () => { more.remove(); grow(end); });
    details.append(more);
  };
  const build = () => { if (details.childElementCount === 1) grow(0); };
  const isMarked = (item) => mark?.(pathOf(path, item.key)) || mark?.(pathOf(path, item.key), true);
  details.addEventListener("toggle", build);
  // What holds a marked value is opened, however large it is.
  const isMarkedBelow = Boolean(mark?.(path, true));
  if (openTo > 0 && node.items.length <= 50 || isMarkedBelow) { build(); details.open = true; }
  return details;
}

/** Pretty text with two spaces, without changing a number or an escape. */
export function pretty(node, indent = "") {
  if (!node.items) return node.text;
  const [open, close] = node.kind === "object" ? "{}" : "[]";
  if (!node.items.length) return open + close;
  const inner = `${indent}  `;
  const lines = node.items.map(({ key, value }) =>
    inner + (node.kind === "object" ? `${JSON.stringify(key)}: ` : "") + pretty(value, inner));
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** Where two values differ: [{path, left, right}], one of both absent where only the other has the place. */
export function differences(left, right, path = "$", found = []) {
  if (found.length >= 500) return found;
  if (!left || !right) found.push({ path, left: left && pretty(left), right: right && pretty(right) });
  else if (left.items && right.items && left.kind === right.kind) {
    const others = new Map(right.items.map((item) => [item.key, item.value]));
    for (const { key, value } of left.items) {
      differences(value, others.get(key), pathOf(path, key), found);
      others.delete(key);
    }
    for (const [key, value] of others) differences(undefined, value, pathOf(path, key), found);
  } else if (left.items || right.items || plain(left) !== plain(right) || left.kind !== right.kind) {
    found.push({ path, left: pretty(left), right: pretty(right) });
  }
  return found;
}
