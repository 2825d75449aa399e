// Numbers and texts as people read them.

/** 1,536 bytes are "1.5 KiB", in the units of the proxy's log. */
export function bytes(count) {
  if (count === undefined || count === null) return "";
  if (count < 1024) return `${count} B`;
  const [unit, size] = count < 2 ** 20 ? ["KiB", 2 ** 10] : count < 2 ** 30 ? ["MiB", 2 ** 20]
    : ["GiB", 2 ** 30];
  return `${Number((count / size).toFixed(count < 10 * size ? 1 : 0))} ${unit}`;
}

export function duration(milliseconds) {
  if (milliseconds === undefined || milliseconds === null) return "";
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 1000) return `${milliseconds.toPrecision(3)} ms`;
  return milliseconds < 60_000
    ? `${(milliseconds / 1000).toPrecision(3)} s` : `${Math.floor(milliseconds / 60_000)} min`;
}

/** The time of day of a timestamp as RFC 3339 writes it, to the millisecond, where the reader is. */
export function timeOfDay(started) {
  const date = new Date(started);
  if (Number.isNaN(date.getTime())) return String(started ?? "");
  const two = (number) => String(number).padStart(2, "0");
  const thousandths = String(date.getMilliseconds()).padStart(3, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${thousandths}`;
}

export const count = (number) => number.toLocaleString("en-US");

export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

// Controls, and marks that change the direction of text or cannot be seen: shown as what they are, since a
// path that reads backwards would say something else than what was sent.
const UNSEEN = new RegExp([
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e]`,
  String.raw`[\u2060-\u206f\ufeff\ufff9-\ufffb]`,
  // Halves of surrogate pairs.
  String.raw`[\ud800-\udbff](?![\udc00-\udfff])`, String.raw`(?<![\ud800-\udbff])[\udc00-\udfff]`,
].join("|"), "g");

/** A text whose every character can be seen. Line ends and tabs stay. */
export function visible(text) {
  return String(text).replace(UNSEEN, (character) => {
    const code = character.codePointAt(0);
    return code < 0x20 ? String.fromCodePoint(0x2400 + code)
      : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** The same on one line, cut where it is longer than a line of a table can be. */
export function oneLine(text, longest = 2000) {
  const whole = String(text);
  const start = whole.length > longest ? `${whole.slice(0, longest)}…` : whole;
  return visible(start).replace(/[\n\t]/g, (character) => (character === "\n" ? "␊" : "␉"));
}

/** One argument of a shell's command line. */
export const quoted = (text) =>
  /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
