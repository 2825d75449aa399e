// Keys for everything, and the page that lists them.

import { element } from "./dom.js";
import { show } from "./dialogs.js";

let bindings = [];

/** @param list of {keys, does, act}, whose `act` returns false where the key has no meaning now. */
export function bind(list) {
  bindings = list;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const isDialogOpen = document.querySelector("dialog[open]");
    const isWriting = event.target.closest("input, textarea, select");
    if (isDialogOpen || isWriting && event.key !== "Escape") return;
    // Enter and space press the button that has the focus.
    if (event.target.closest("button, summary, a") && (event.key === "Enter" || event.key === " ")) return;
    const binding = bindings.find(({ keys }) => keys.includes(event.key));
    if (binding && binding.act(event) !== false) event.preventDefault();
  });
}

const NAMES = {
  " ": "Space", ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", PageDown: "PgDn", PageUp: "PgUp",
};

export function help() {
  show("Keys", element("table", { class: "fields keys" },
    element("tbody", {}, bindings.map(({ keys, does }) => element(
    "tr", {}, element("th", { scope: "row" },
      keys.map((key) => [element("kbd", {}, NAMES[key] ?? key), " "])), element("td", {}, does))))));
}
