// What the scanner finds in the cassette: each with its place, which is one click away, and the commands that
// cure it.

import { get } from "./api.js";
import { copy } from "./dialogs.js";
import { announce, button, element, fill } from "./dom.js";
import { look } from "./interaction.js";
import { counted, oneLine, visible } from "./text.js";

export async function secrets(place, { state, session }) {
  if (!state?.cassette) return fill(place, element("p", { class: "none" }, "There is no cassette."));
  fill(place, element("p", { class: "note" }, "scanning…"));
  const scan = await get("/v1/cassette/finds", { session: session ?? undefined }).catch((error) => {
    fill(place);
    throw error;
  });
  const { finds, files, problems, commands } = scan;
  fill(
    place,
    element("p", { class: "note" }, `${counted(files, "file")}, ${finds.length ? counted(finds.length, "find")
      : "no secrets"}`),
    problems.map((problem) => element("p", { class: "problem" }, visible(problem))),
    finds.length > 0 && table(finds, session),
    commands.length > 0 && [element("h3", {}, "What would cure it"), cures(commands)]);
}

function table(finds, session) {
  const isInteraction = ({ file }) => /\.json$/.test(file) && !/(^|\/)cassette\.json$|…/.test(file);
  return element(
    "div", { class: "wide", tabIndex: 0, role: "region", "aria-label": "Finds" },
    element("table", { class: "interactions" },
      element("thead", {}, element("tr", {}, ["looks like", "begins", "place", "file"].map((title) =>
        element("th", { scope: "col" }, title)))),
      element("tbody", {}, finds.slice(0, 1000).map((find) => element(
        "tr", {},
        element("th", { scope: "row" }, oneLine(find.looksLike, 200)),
        element("td", { class: "code" }, find.beginning ? `${oneLine(find.beginning, 10)}…` : ""),
        element("td", { class: "code" }, oneLine(find.place ?? (find.line ? `line ${find.line}` : ""), 200)),
        element("td", {}, isInteraction(find)
          ? button(oneLine(find.file, 200), () => look(find.file, session, find.place),
            { kind: "link", title: `Show where it stands in ${find.file}` })
          : oneLine(find.file, 200)))))));
}

/** @param commands each with its purpose behind three blanks. */
function cures(commands) {
  return element("ul", { class: "fixes" }, commands.map((line) => {
    const [, command, purpose] = /^(.*?)\s{3,}(.*)$/s.exec(line) ?? [null, line, ""];
    return element("li", {}, visible(purpose),
      element("div", { class: "command" }, element("code", {}, visible(command)),
        button("Copy", () => copy(command, "Copied.", announce), { kind: "quiet" })));
  }));
}
