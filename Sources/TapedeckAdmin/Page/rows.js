// The rows that the page holds: the latest ones, at most HELD of them, and those of them that the filter
// admits.

import { filter, SOURCES } from "./filter.js";

export const HELD = 50_000;

/** A row as the list needs it, from a summary of the request log. */
export function row(summary) {
  const target = String(summary.target ?? "");
  const absolute = /^(https?:\/\/[^/?#]*)(.*)$/is.exec(target);
  const origin = summary.origin ?? absolute?.[1] ?? "";
  const from = SOURCES[summary.source] ?? summary.source;
  const session = summary.session ?? "";
  return {
    ...summary, session, from, host: origin.replace(/^https?:\/\//i, ""),
    target: absolute ? absolute[2] || "/" : target, bytes: summary.bodyBytes,
    applied: summary.applied ?? [],
    everything: [
      summary.method, origin + target, summary.status, from, summary.file, summary.rule, session, summary.why,
      ...(summary.applied ?? []),
    ].join(" "),
  };
}

export class Rows {
  all = [];
  shown = [];
  /** How many rows this page has left out, since it holds the latest. */
  dropped = 0;
  /** How many requests the proxy could not hand on, and the rows that say so. */
  missing = 0;
  gaps = 0;
  counts = new Map();
  #test = () => true;

  add(rows) {
    for (const row of rows) {
      this.all.push(row);
      if (row.gap) {
        this.shown.push(row);
        this.missing += row.gap;
        this.gaps += 1;
        continue;
      }
      this.counts.set(row.from, (this.counts.get(row.from) ?? 0) + 1);
      if (this.#test(row)) this.shown.push(row);
    }
    // Seldom and many at once, because each time moves all of them.
    if (this.all.length > HELD + 5000) {
      const gone = new Set(this.all.splice(0, this.all.length - HELD));
      for (const row of gone) {
        if (row.gap) { this.gaps -= 1; continue; }
        this.dropped += 1;
        this.counts.set(row.from, this.counts.get(row.from) - 1);
      }
      this.shown = this.shown.filter((row) => !gone.has(row));
    }
  }

  /** @returns the words of the line that have no meaning. */
  filter(line) {
    const { test, unknown } = filter(line);
    this.#test = test;
    this.shown = this.all.filter((row) => row.gap || test(row));
    return unknown;
  }

  clear() {
    this.all = [];
    this.shown = [];
    this.counts.clear();
    this.dropped = this.missing = this.gaps = 0;
  }
}
