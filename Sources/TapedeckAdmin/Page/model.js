// One exchange in the form that the views need, from the admin API's JSON.

import { bodyOf } from "./body.js";

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** A head with its body: as text or in base64, at most the first 256 KiB of it, and with its content coding opened. */
export function message(json) {
  if (!json) return null;
  const { headers = [], text, base64, bodyBytes = 0, isCut = false, coding, chunks } = json;
  const octets = base64 !== undefined ? fromBase64(base64) : new TextEncoder().encode(text ?? "");
  const body = { ...bodyOf(octets, isCut ? Infinity : octets.length), size: bodyBytes, isCut,
    opened: coding };
  const type = headers.findLast(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return { fields: headers, type, body, chunks: chunks ?? [] };
}

export function exchange(json) {
  const recording = json.recording && {
    ...json.recording, request: message(json.recording.request), response: message(json.recording.response),
  };
  return { ...json, request: message(json.request), response: message(json.response), recording };
}
