// The chunks of a response on a line of time, as they came from the origin and are replayed at their pace.

import { element } from "./dom.js";
import { bytes, counted, duration } from "./text.js";

const SHOWN = 400;

/** @param one what the pieces are called. */
export function timeline(chunks, one = "chunk") {
  if (chunks.length < 2) return null;
  const whole = Math.max(...chunks.map((chunk) => chunk.milliseconds ?? 0), 0.001);
  const largest = Math.max(...chunks.map((chunk) => chunk.bytes), 1);
  const step = Math.ceil(chunks.length / SHOWN);
  const shown = chunks.filter((_, index) => index % step === 0);
  const line = element("div", {
    class: "timeline", role: "img",
    "aria-label": `${counted(chunks.length, one)} in ${duration(whole)}`,
  }, shown.map((chunk) => {
    const mark = element("span",
      { title: `${bytes(chunk.bytes)} after ${duration(chunk.milliseconds ?? 0)}` });
    mark.style.left = `${((chunk.milliseconds ?? 0) / whole) * 99}%`;
    mark.style.height = `${20 + (chunk.bytes / largest) * 80}%`;
    return mark;
  }));
  return element(
    "figure", {}, line,
    element("figcaption", { class: "note" }, `${counted(chunks.length, one)} over ${duration(whole)}`,
      step > 1 && `, each ${step}th shown`));
}
