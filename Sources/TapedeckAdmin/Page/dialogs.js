// The dialogs: the editor of a rule, the choice of a failure, and texts to copy. The browser keeps the focus
// inside, and gives it back.

import { attempt, button, byId, element, fill } from "./dom.js";
import { FAILURES } from "./rules.js";

/** Shows a dialog. @returns a function that closes it. */
export function show(title, ...content) {
  const dialog = byId("dialog");
  fill(
    dialog,
    element("header", {}, element("h2", { id: "dialog-title" }, title),
      button("Close", () => dialog.close(), { kind: "quiet" })),
    content);
  dialog.setAttribute("aria-labelledby", "dialog-title");
  if (!dialog.open) dialog.showModal();
  return () => dialog.close();
}

const KINDS = ["routes", "patches", "faults", "resources"];

/**
 * Edits the declaration of a rule. It is checked while it is written, and by the proxy when it is saved; it
 * acts from
 * the next request on.
 * @param save puts (kind, json text), and throws what the proxy refused.
 */
export function editRule(title, { kind, text, isNew = true }, save) {
  const area = element("textarea", {
    id: "declaration", value: text, spellcheck: false, rows: 22, "aria-describedby": "check", autofocus: true,
  });
  const check = element("p", { id: "check", role: "status", class: "note" });
  const kinds = element(
    "select", { id: "kind", disabled: !isNew },
    KINDS.map((name) => element("option", { value: name, selected: name === kind }, name)));
  const tell = (words, isProblem) => {
    check.textContent = words;
    check.dataset.kind = isProblem ? "problem" : "";
    area.setAttribute("aria-invalid", Boolean(isProblem));
  };
  const read = () => {
    try {
      const json = JSON.parse(area.value);
      if (json === null || typeof json !== "object"
        || Array.isArray(json)) throw new Error("a rule is an object");
      tell("This is JSON; the proxy checks the rest when you save.");
      return true;
    } catch (error) { tell(error.message, true); }
    return false;
  };
  const submit = async () => {
    if (!read()) return area.focus();
    try {
      // The text itself, because numbers would not all survive being read and written.
      await save(kinds.value, area.value);
      close();
    } catch (error) { tell(error.message, true); area.focus(); }
  };
  area.addEventListener("input", read);
  area.addEventListener("keydown",
    (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(); });
  const close = show(
    title,
    element("div", { class: "row" }, element("label", { for: "kind" }, "Kind"), kinds),
    element("label", { for: "declaration" }, "Declaration, as in an overrides file"), area, check,
    element("footer", {}, button("Save", submit, { kind: "main", key: "Ctrl+Enter" })));
  area.setSelectionRange(0, 0);
  area.scrollTop = 0;
  read();
}

/**
 * Asks how a response is to fail. @param act takes the kind of the rule, its members, and for how many
 * requests.
 */
export function chooseFailure(title, act) {
  const list = element("fieldset", {}, element("legend", {}, "What the client gets"),
    FAILURES.map((failure, index) => element(
    "div", { class: "row" },
    element("input", { type: "radio", name: "failure", id: `failure-${failure.name}`, value: failure.name,
      checked: index === 0, autofocus: index === 0 }),
    element("label", { for: `failure-${failure.name}` }, failure.label),
    failure.value !== undefined && element("input", {
      type: "number", id: `value-${failure.name}`, min: failure.name === "status" ? 200 : 0,
      max: failure.name === "status" ? 999 : 86_400_000,
      value: failure.value, "aria-label": `${failure.label}${failure.unit && `, ${failure.unit}`}`,
      on: { focus: () => { byId(`failure-${failure.name}`).checked = true; } },
    }),
    failure.unit && element("span", { class: "note" }, failure.unit))));
  const times = element("input", { type: "number", id: "times", min: 1, placeholder: "all" });
  const submit = () => attempt(async () => {
    const failure = FAILURES.find(({ name }) => byId(`failure-${name}`).checked);
    const [kind, members] = failure.rule(Number(byId(`value-${failure.name}`)?.value));
    await act(kind, { ...members, ...(times.value && { times: Number(times.value) }) });
    close();
  });
  const close = show(
    title, list,
    element("div", { class: "row" }, element("label", { for: "times" }, "For the next requests"), times,
      element("span", { class: "note" }, "empty: all")),
    element("footer", {}, button("Fail them", submit, { kind: "main" })));
}

/** A text to be copied by hand, where the browser does not let a page copy. */
export async function copy(text, said, tell) {
  try {
    await navigator.clipboard.writeText(text);
    tell(said);
  } catch {
    const area = element("textarea", { value: text, readOnly: true, rows: 12, "aria-label": "Text to copy" });
    show("Copy this", area);
    area.select();
  }
}

/** Hands a file to the browser's downloads. */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
