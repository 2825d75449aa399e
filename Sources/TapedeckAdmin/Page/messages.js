// What was said over a WebSocket: each message with its side, time and size, and the rest of it when it is
// opened.

import { showBody } from "./body.js";
import { button, element, fill } from "./dom.js";
import { bytes, counted, duration, oneLine, visible } from "./text.js";
import { timeline } from "./timeline.js";

const FIRST = 200;
const SIDES = { client: "client", server: "server" };
const ARROWS = { client: "↑", server: "↓" };

/** @param webSocket as `model.js` reads it, or null. */
export function conversation(webSocket) {
  if (!webSocket) return element("p", { class: "none" }, "It is no WebSocket.");
  const { messages, omittedBefore, omittedAfter } = webSocket;
  return [
    element("p", { class: "note" }, summary(webSocket)),
    timeline(messages.map(({ size, milliseconds }) => ({ bytes: size, milliseconds })), "message"),
    omittedBefore > 0 && element("p", { class: "notice" },
      `${counted(omittedBefore, "earlier message")} left out: the request log holds the latest.`),
    list(messages),
    omittedAfter > 0 && element("p", { class: "notice" },
      `${counted(omittedAfter, "later message")} left out; the file of the recording has them.`),
    webSocket.problem && element("p", { class: "notice" }, visible(webSocket.problem)),
    ending(webSocket),
  ];
}

function summary({ messages, omittedBefore, omittedAfter, isOpen }) {
  const count = messages.length + omittedBefore + omittedAfter;
  return `${counted(count, "message")}, ${isOpen ? "and it is still open" : "and it has ended"}`;
}

function ending({ close, isOpen }) {
  if (isOpen) return null;
  if (!close) return element("p", { class: "note" }, "It ended without a Close frame.");
  const code = close.code === undefined ? "no code" : `code ${close.code}`;
  return element("p", { class: "note" }, `Closed by the ${SIDES[close.from] ?? "other side"}: ${code}`,
    close.reason && [", ", element("span", { class: "code" }, oneLine(close.reason, 500))]);
}

function list(messages) {
  if (!messages.length) return element("p", { class: "none" }, "Nothing was said.");
  const all = element("ol", { class: "messages" });
  const grow = (from) => {
    for (const message of messages.slice(from, from + FIRST)) all.append(line(message));
    const rest = messages.length - from - FIRST;
    if (rest <= 0) return;
    const more = button(`${rest} more`, () => { more.parentElement.remove(); grow(from + FIRST); },
      { kind: "quiet" });
    all.append(element("li", {}, more));
  };
  grow(0);
  return all;
}

/** A message on one line, which opens to the whole of it. */
function line(message) {
  const { from, body, size, milliseconds } = message;
  const place = element("div", {});
  const details = element("details", {}, element("summary", {},
    element("span", { class: "side", title: `from the ${SIDES[from]}` },
      element("span", { "aria-hidden": "true" }, ARROWS[from]),
      element("span", { class: "hidden" }, `${SIDES[from]}: `)),
    element("span", { class: "said" },
      body.text === null ? "binary" : body.text === "" ? "empty" : oneLine(body.text, 300)),
    element("span", { class: "note" }, `${bytes(size)}, ${duration(milliseconds)}`)), place);
  details.addEventListener("toggle", () => {
    if (details.open && !place.childElementCount) fill(place, showBody(body, "", {}));
  });
  return element("li", { class: SIDES[from] ?? "" }, details);
}
