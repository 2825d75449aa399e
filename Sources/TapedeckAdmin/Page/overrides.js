// The overrides in force: how often each was used, and how to change it.

import { call, get, post, remove } from "./api.js";
import { editRule } from "./dialogs.js";
import { announce, attempt, button, byId, element, fill } from "./dom.js";
import { oneLine } from "./text.js";

const KINDS = ["routes", "resources", "patches", "faults"];
const ONE = { routes: "route", resources: "resource", patches: "patch", faults: "fault" };
const EMPTY = {
  routes: '{\n  "path": "/",\n  "status": 200,\n  "json": {}\n}',
};

let session = null;

export const forSession = (name) => { session = name; };
const query = () => ({ session: session ?? undefined });

/** Fetches and shows all rules of the session. */
export function draw() {
  return attempt(async () => {
    const lists = await Promise.all(KINDS.map((kind) => get(`/v1/${kind}`, query())));
    const rules = KINDS.flatMap((kind, index) => lists[index].map((rule) => ({ kind, ...rule })));
    fill(
      byId("overrides-content"),
      rules.length ? table(rules)
        : element("p", { class: "none" },
        "No overrides. Open a request and press “Override”, or add one here."));
    byId("overrides-count").textContent = rules.length ? String(rules.length) : "";
  });
}

function table(rules) {
  return element(
    "div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Overrides in force" },
    element(
      "table", { class: "rules" },
      element("thead", {}, element("tr", {},
        ["kind", "id", "acts on", "does", "seen", "used", ""].map((title) =>
        element("th", { scope: "col", class: title === "seen" || title === "used" ? "number" : undefined },
          title || element("span", { class: "hidden" }, "change"))))),
      element("tbody", {}, rules.map((rule) => {
        const { path, method, when, ...rest } = rule.declaration;
        delete rest.id;
        return element(
          "tr", { class: rule.used ? "" : "unused" },
          element("td", {}, ONE[rule.kind]),
          element("th", { scope: "row" }, oneLine(rule.id),
            rule.fromFile && element("span", { class: "note" }, " file")),
          element("td", { class: "code" },
            oneLine([method, path, when && JSON.stringify(when)].flat().filter(Boolean).join(" "), 300)),
          element("td", { class: "code" }, oneLine(JSON.stringify(rest), 200)),
          element("td", { class: "number" }, rule.seen), element("td", { class: "number" }, rule.used),
          element("td", { class: "row" }, button("Edit", () => edit(rule), { title: `Edit ${rule.id}` }),
            button("Remove", () => removeRule(rule), { title: `Remove ${rule.id}` })));
      }))));
}

export function add() {
  editRule("New override", { kind: "routes", text: EMPTY.routes }, async (kind, text) => {
    const rule = await call("POST", `/v1/${kind}`, text, query());
    announce(`Added ${rule.id}, from the next request on.`,
      () => attempt(() => removeRule({ kind, ...rule })));
  });
}

const put = (rule, text) => call("PUT", `/v1/${rule.kind}/${encodeURIComponent(rule.id)}`, text, query());

function edit(rule) {
  const before = JSON.stringify(rule.declaration, null, 2);
  editRule(`Edit ${rule.id}`, { kind: rule.kind, text: before, isNew: false }, async (_, text) => {
    await put(rule, text);
    announce(`Saved ${rule.id}, from the next request on.`, () => attempt(() => put(rule, before)));
    draw();
  });
}

async function removeRule(rule) {
  await attempt(async () => {
    await remove(`/v1/${rule.kind}/${encodeURIComponent(rule.id)}`, query());
    announce(`Removed ${rule.id}.`, () => attempt(async () => {
      await put(rule, JSON.stringify(rule.declaration));
      announce(`${rule.id} is back, as the last of its kind and with its counts at zero.`);
      draw();
    }));
    draw();
  });
}

/** Writes what is in force to the overrides file of the proxy. */
export const save = () => attempt(async () => {
  const { file, content } = await post("/v1/overrides/save", undefined, query());
  announce(`Saved ${content} to ${file}.`);
});
