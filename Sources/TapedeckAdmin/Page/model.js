// One exchange in the form that the views need, from the admin API's JSON.

import { bodyOf } from "./body.js";

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/**
 * A head with its body: as text or in base64, at most the first 256 KiB of it, and with its content coding
 * opened.
 */
export function message(json) {
  if (!json) return null;
  const { headers = [], text, base64, bodyBytes = 0, isCut = false, coding, chunks } = json;
  const octets = base64 !== undefined ? fromBase64(base64) : new TextEncoder().encode(text ?? "");
  const body = { ...bodyOf(octets, isCut ? Infinity : octets.length), size: bodyBytes, isCut,
    opened: coding };
  const type = headers.findLast(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return { fields: headers, type, body, chunks: chunks ?? [] };
}

/** What was said over a WebSocket; null where there is none. */
export function webSocket(json) {
  if (!json) return null;
  const messages = json.messages.map(({ from, text, base64, bytes, isCut, atMilliseconds }) => {
    const octets = base64 !== undefined ? fromBase64(base64) : new TextEncoder().encode(text ?? "");
    const body = { ...bodyOf(octets, isCut ? Infinity : octets.length), size: bytes, isCut };
    // What was sent as binary is shown as such, even where it would read as text.
    if (base64 !== undefined) body.text = null;
    return { from, body, size: bytes, milliseconds: atMilliseconds };
  });
  return { ...json, messages };
}

/** An interaction of a cassette. */
export const recording = (json) => ({
  ...json, request: message(json.request), response: message(json.response),
  webSocket: webSocket(json.webSocket),
});

export function exchange(json) {
  return {
    ...json, request: message(json.request), response: message(json.response),
    webSocket: webSocket(json.webSocket), recording: json.recording && recording(json.recording),
  };
}
