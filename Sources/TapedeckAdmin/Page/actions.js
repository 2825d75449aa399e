// What one click does to a running proxy, and how it is undone.

import { call, get, post, put, remove, request } from "./api.js";
import { announce, attempt } from "./dom.js";
import { chooseFailure, copy, download, editRule } from "./dialogs.js";
import { message } from "./model.js";
import { condition, override } from "./rules.js";

/** @param session whose rules these are; null for requests that name none. */
const of = (exchange) => ({ session: exchange.session ?? undefined });

async function addRule(kind, text, session, words) {
  const rule = await call("POST", `/v1/${kind}`, text, session);
  announce(`${words} (${rule.id}), from the next request on.`, () => attempt(async () => {
    await remove(`/v1/${kind}/${encodeURIComponent(rule.id)}`, session);
    announce(`Removed ${rule.id}.`);
  }));
}

/** The path of an interaction; of several origins its file lies in a folder, whose slash is encoded too. */
export const pathOf = (file) => `/v1/cassette/interactions/${encodeURIComponent(file)}`;

const line = (exchange) => `${exchange.method} ${exchange.target.slice(0, 80)}`;

/** Opens the editor with the response as it was; for a miss, with that of the nearest recording. */
export function overrideResponse(exchange) {
  return attempt(async () => {
    const near = exchange.source === "unmatched" ? exchange.miss?.nearest?.[0] : undefined;
    const response = near && await get(pathOf(near.file), of(exchange)).catch(() => undefined);
    const draft = override(response
      ? { ...exchange, source: "cassette", status: response.status ?? 200,
      response: message(response.response) } : exchange);
    editRule(`Override ${line(exchange)}`, draft,
      (kind, text) => addRule(kind, text, of(exchange), "Overridden"));
  });
}

export function fail(exchange) {
  chooseFailure(`Fail ${line(exchange)}`, (kind, members) =>
    addRule(kind, JSON.stringify({ ...condition(exchange), ...members }), of(exchange), "It fails"));
}

/** @param item as `--match` takes it: `body:ignore=$.nonce`. */
export function ignore(item) {
  return attempt(async () => {
    const before = (await get("/v1/matching")).ignore;
    const after = await put("/v1/matching", { ignore: [...new Set([...before, item])] });
    const flag = after.flag ?? `--match ${item}`;
    announce(`Ignored in this run, from the next request on. To make it last: ${flag}`, () =>
      attempt(async () => {
        await put("/v1/matching", { ignore: before });
        announce(`${item} is compared again.`);
      }));
  });
}

export const forward = (exchange) =>
  attempt(() => post(`/v1/requests/${exchange.number}/forward`, undefined, of(exchange)));

/** Asks the origin anew, and puts what it says in the place of the recording. */
export const recordAnew = (exchange) => attempt(async () => {
  const made = await post(`/v1/requests/${exchange.number}/record`, undefined, of(exchange));
  const { file, isNew, isUnchanged } = made;
  if (isUnchanged) announce("The origin says what was recorded; nothing has changed.");
  else announce(isNew ? `Recorded, as it was not in the cassette: ${file}.` : `Recorded anew: ${file}.`, () =>
    attempt(async () => {
      await post(`${pathOf(file)}/restore`, undefined, of(exchange));
      announce(isNew ? `${file} is removed.` : `${file} is as it was before.`);
    }));
  return made;
});

export const copyCurl = (exchange) =>
  copy(exchange.curl ?? exchange.miss?.curl ?? "", "Copied as a curl line.", announce);

export function exportHAR(exchange) {
  return attempt(async () => {
    const response = await request("POST", "/v1/exports",
      { body: { format: "har", number: exchange.number }, query: of(exchange) });
    download(`request-${exchange.number}.har`, await response.blob(), "application/json");
    announce("Exported as HAR.");
  });
}
