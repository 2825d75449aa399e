// A body in the form that suits its content type, and as it is.

import { button, element, fill } from "./dom.js";
import { parse, pretty, tree } from "./json.js";
import { bytes, count, visible } from "./text.js";

/** Types that a browser draws without running anything; SVG can hold scripts and links, so it stays text. */
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/;
const LINES = 2000, CHARACTERS = 262_144;

/** What can be shown of a body, best first: [{name, show()}]. */
function views(body, type, mark) {
  const [kind, text] = [type.split(";")[0].trim().toLowerCase(), body.text];
  const found = [];
  if (text !== null) {
    const json = parse(text);
    if (json?.items) {
      found.push({ name: "Tree", show: () => element("div", { class: "tree" }, tree(json, { mark })) });
      found.push({ name: "Pretty", show: () => plainText(pretty(json)) });
    }
    if (kind === "application/x-www-form-urlencoded") found.push({ name: "Form", show: () => form(text) });
    if (kind === "text/event-stream") found.push({ name: "Events",
      show: () => pieces(text.split(/\r?\n\r?\n/)) });
    if (/ndjson|json-?lines|json-seq/.test(kind)) found.push({ name: "Lines",
      show: () => pieces(text.split("\n")) });
  }
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  if (kind.startsWith("multipart/") && boundary) {
    found.push({ name: "Parts", show: () => parts(body, boundary[1] ?? boundary[2]) });
  }
  if (IMAGES.test(kind)) found.push({ name: "Image", show: () => image(body, kind) });
  found.push(text === null ? { name: "Bytes", show: () => hex(body.octets) }
    : { name: "Raw", show: () => plainText(text) });
  return found;
}

/**
 * @param body {text or null, octets, size, isCut, redacted, opened}
 * @param highlight {mark}: gives a class for the value at a path of JSON; {isFound}: all of it is meant.
 */
export function showBody(body, type, choice, { mark, isFound } = {}) {
  if (!body.size && !body.octets.length) return element("p", { class: "none" }, "No body.");
  const all = views(body, type, mark);
  const place = element("div", {
    class: `body ${isFound ? "found" : ""}`, tabIndex: 0, role: "region", "aria-label": "Body",
  });
  const bar = element("div", { class: "choices", role: "group", "aria-label": "Form of the body" });
  const choose = (view) => {
    choice.name = view.name;
    for (const other of bar.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed",
      other.textContent === view.name);
    fill(place, view.show());
  };
  for (const view of all) {
    const item = button(view.name, () => choose(view), { kind: "quiet" });
    item.setAttribute("aria-pressed", "false");
    bar.append(item);
  }
  bar.append(element("span", { class: "note" }, bytes(body.size), type && `, ${visible(type)}`,
    body.opened && `, ${body.opened} opened`));
  choose(all.find((view) => view.name === choice.name) ?? all[0]);
  return element(
    "div", {},
    body.isCut && element(
      "p", { class: "notice" },
      `These are the first ${bytes(body.octets.length)} of ${bytes(body.size)}. `
        + "An export holds all that the proxy still has."),
    bar, place);
}

function plainText(text) {
  const lines = text.slice(0, CHARACTERS).split("\n");
  const shown = visible(lines.slice(0, LINES).join("\n"));
  const rest = lines.length - LINES;
  return [element("pre", {}, marked(shown)),
    rest > 0 && element("p", { class: "notice" }, `${count(rest)} more lines`)];
}

/** Placeholders of redacted secrets, marked as such. */
export function marked(text) {
  return text.split(/(REDACTED:[a-z0-9-]{1,40}:[0-9a-f]{8})/)
    .map((piece, index) => (index % 2
      ? element("mark", { class: "redacted", title: "a secret stood here" }, piece) : piece));
}

function form(text) {
  const rows = text.split("&").slice(0, LINES).map((pair) => {
    const [name, ...value] = pair.split("=").map((piece) => {
      try { return decodeURIComponent(piece.replaceAll("+", " ")); } catch { return piece; }
    });
    return [name, value.join("=")];
  });
  return table(rows);
}

export function table(rows) {
  return element("table", { class: "fields" }, element("tbody", {}, rows.map(([name, value, kind]) => element(
    "tr", { class: kind }, element("th", { scope: "row" }, visible(name)),
    element("td", {}, marked(visible(value)))))));
}

function pieces(all) {
  const list = all.filter((piece) => piece.trim());
  return [
    element("ol", { class: "pieces" }, list.slice(0, 500).map((piece) => {
      const json = parse(piece.replace(/^data: ?/m, ""));
      return element("li", {}, json?.items ? tree(json, { openTo: 1 })
        : element("pre", {}, marked(visible(piece))));
    })),
    list.length > 500 && element("p", { class: "notice" }, `${count(list.length - 500)} more`),
  ];
}

const latin1 = (octets) => {
  let text = "";
  for (let place = 0; place < octets.length; place += 8192) {
    text += String.fromCharCode(...octets.subarray(place, place + 8192));
  }
  return text;
};

/** RFC 2046 §5.1, on bytes: a part can be of any type. */
function parts(body, boundary) {
  const all = latin1(body.octets).split(`--${boundary}`).slice(1).filter((part) => !part.startsWith("--"));
  return element("ol", { class: "pieces" }, all.slice(0, 200).map((part) => {
    const end = part.indexOf("\r\n\r\n");
    const decode = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
    const head = new TextDecoder().decode(decode(part.slice(0, Math.max(0, end)).trim()));
    const octets = decode(part.slice(end + 4).replace(/\r\n$/, ""));
    const fields = head.split("\r\n").filter(Boolean).map((line) => {
      const [name, ...value] = line.split(":");
      return [name, value.join(":").trim()];
    });
    const type = fields.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "text/plain";
    return element("li", {}, table(fields), showBody(bodyOf(octets), type, {}));
  }));
}

/** A body of these bytes, whole. */
export function bodyOf(octets, size = octets.length) {
  return { octets, size, isCut: octets.length < size, text: textOf(octets, octets.length < size) };
}

/** UTF-8, or null. A cut may have gone through a character. */
function textOf(octets, isCut) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(octets, { stream: isCut });
    return text.includes("\u0000") && text.replace(/[^\u0000]/g, "").length > text.length / 100 ? null : text;
  } catch { return null; }
}

function image(body, type) {
  const url = URL.createObjectURL(new Blob([body.octets], { type }));
  const drawn = element("img", { alt: `The body, ${type}`, class: "picture" });
  const size = element("p", { class: "note" }, " ");
  drawn.addEventListener("load", () => {
    size.textContent = `${drawn.naturalWidth} × ${drawn.naturalHeight}`;
    URL.revokeObjectURL(url);
  });
  drawn.addEventListener("error",
    () => { fill(size, "The browser cannot draw this image."); URL.revokeObjectURL(url); });
  drawn.src = url;
  return [drawn, size];
}

const SHOWN_OCTETS = 4096;

function hex(octets) {
  const lines = [];
  for (let place = 0; place < Math.min(octets.length, SHOWN_OCTETS); place += 16) {
    const line = [...octets.subarray(place, place + 16)];
    const digits = line.map((octet) => octet.toString(16).padStart(2, "0")).join(" ");
    const letters = line.map((octet) =>
      (octet > 31 && octet < 127 ? String.fromCharCode(octet) : "·")).join("");
    lines.push(`${place.toString(16).padStart(6, "0")}  ${digits.padEnd(47)}  ${letters}`);
  }
  const rest = octets.length - SHOWN_OCTETS;
  return [element("pre", {}, lines.join("\n")),
    rest > 0 && element("p", { class: "notice" }, `${bytes(rest)} more`)];
}
