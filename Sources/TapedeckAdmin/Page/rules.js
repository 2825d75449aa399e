// Declarations of rules, drafted from an exchange: what the editor opens with.

import { parse, pretty } from "./json.js";

/** What a connection or a body's own framing decides; a date would be an old one. */
const NOT_DECLARED = new Set([
  "content-length", "transfer-encoding", "connection", "keep-alive", "content-encoding", "date", "trailer",
  "upgrade",
]);

/** Members that make a rule act on requests like this one. */
export function condition(exchange) {
  const [path, query] = exchange.target.split(/\?(.*)/s);
  const when = {};
  if (exchange.origin) when.host = exchange.origin.replace(/^https?:\/\//i, "");
  if (query) {
    when.query = {};
    for (const [name, value] of new URLSearchParams(query)) {
      // Of several values under one name any will do: a condition has one for each name.
      when.query[name] = name in when.query ? [when.query[name], value].flat() : value;
    }
  }
  return {
    method: exchange.method, path: literal(path), ...(Object.keys(when).length && { when }),
  };
}

/** A path as a pattern that matches it alone: what would begin a parameter is percent-encoded. */
const literal = (path) =>
  path.replace(/[{}]/g, (mark) => (mark === "{" ? "%7B" : "%7D")).replace(/\/([:*])/g,
    (_, mark) => `/%${mark === ":" ? "3A" : "2A"}`) || "/";

/**
 * The text of a route that responds as the exchange did; of a patch where the body cannot be written as text.
 */
export function override(exchange) {
  const { response } = exchange;
  const headers = {};
  for (const [name, value] of response.fields) {
    if (NOT_DECLARED.has(name.toLowerCase())) continue;
    const known = Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
    if (known) headers[known] = [headers[known], value].flat(); else headers[name] = value;
  }
  const isMiss = exchange.source === "unmatched" && exchange.status >= 500;
  if (isMiss) return { kind: "routes",
    text: JSON.stringify({ ...condition(exchange), status: 200, json: {} }, null, 2) };
  const status = exchange.status >= 200 ? exchange.status : 200;
  const declaration = { ...condition(exchange), status };
  if (response.body.text === null || response.body.isCut) {
    return { kind: "patches", text: JSON.stringify(declaration, null, 2) };
  }
  const text = response.body.text;
  const json = parse(text);
  if (Object.keys(headers).length) declaration.headers = headers;
  if ((text + JSON.stringify(headers)).includes("{{")) declaration.template = false;
  const members = JSON.stringify(declaration, null, 2).slice(0, -2);
  const isJSON = json && /json/i.test(response.type);
  // Written by hand, because numbers of the body keep their digits.
  const body = text === "" ? "" : isJSON ? `,\n  "json": ${pretty(json, "  ")}`
    : `,\n  "text": ${JSON.stringify(text)}`;
  return { kind: "routes", text: `${members}${body}\n}` };
}

/** How a response can fail: what each needs, and the rule that does it. */
export const FAILURES = [
  { name: "status", label: "Respond with status", unit: "", value: 503,
    rule: (value) => ["routes", { status: value }] },
  { name: "latency", label: "Delay by", unit: "ms", value: 2000,
    rule: (value) => ["faults", { type: "latency", latency: value }] },
  { name: "reset", label: "Reset the connection after", unit: "ms", value: 0,
    rule: (value) => ["faults", { type: "reset_peer", timeout: value }] },
  { name: "truncation", label: "Cut the body after", unit: "bytes", value: 100,
    rule: (value) => ["faults", { type: "limit_data", bytes: value }] },
  { name: "timeout", label: "Never respond; close after", unit: "ms", value: 5000,
    rule: (value) => ["faults", { type: "timeout", timeout: value }] },
  { name: "garbage", label: "Send garbage", rule: () => ["faults", { type: "random_data_then_close" }] },
];
