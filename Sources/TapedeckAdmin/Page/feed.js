// The event stream of the proxy: what was requested, and what changed. Read with fetch, because the token
// travels in a header; resumed after the last event that was seen.

import { request } from "./api.js";

const SHORTEST_PAUSE = 250, LONGEST_PAUSE = 5000;

/**
 * Reads the stream for as long as the page is open.
 * @param on {requests(list), state(state), gap({count}), connected(isConnected)}
 */
export async function follow(on) {
  let last = null;
  for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const response = await request("GET", "/v1/events", {
        headers: { Accept: "text/event-stream", ...(last !== null && { "Last-Event-ID": last }) },
      });
      on.connected(true);
      for await (const event of events(response.body)) {
        pause = SHORTEST_PAUSE;
        if (event.id !== undefined) last = event.id;
        if (event.data !== "") on[event.type]?.(JSON.parse(event.data));
      }
    } catch (error) {
      if (error.status === 401) return;
    }
    on.connected(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** The events of a stream, as the HTML standard reads them (§9.2.6). */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "", event = { type: "message", data: "" };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop();
    for (const line of lines) {
      if (line === "") {
        yield event;
        event = { type: "message", data: "" };
      }
      const colon = line.indexOf(":");
      const [field, rest] = colon < 0 ? [line, ""]
        : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
      if (field === "data") event.data += (event.data === "" ? "" : "\n") + rest;
      else if (field === "event") event.type = rest;
      else if (field === "id") event.id = rest;
    }
  }
}
