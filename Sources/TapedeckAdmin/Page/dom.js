// Builds elements. Everything shown came from strangers, so text only ever becomes text: there is no way from
// here to markup, and the page's Content-Security-Policy allows none.

/**
 * An element with properties and children. `class`, `role`, `aria-*` and `data-*` are attributes; `on` holds
 * listeners;
 * anything else is a property of the element. Children are elements, texts, lists of them, or nothing (null,
 * false).
 */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type,
      listener);
    else if (key === "class" || key === "role" || key === "for" || key.includes("-")) node.setAttribute(key,
      value);
    else node[key] = value;
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

/** Replaces what an element holds. */
export function fill(node, ...children) {
  node.replaceChildren();
  return append(node, children);
}

export const byId = (id) => document.getElementById(id);

/** A button with a text, and perhaps a key that does the same. */
export function button(text, act, { key, title, kind } = {}) {
  return element(
    "button", { type: "button", class: kind, title: key ? `${title ?? text} (${key})` : title,
      on: { click: act } },
    text, key && element("kbd", { "aria-hidden": "true" }, key));
}

/** Tells screen readers, and people at the foot of the page, what has happened. */
export function announce(text, undo) {
  const line = byId("announcement");
  fill(line, text, undo && [" ", button("Undo", () => { fill(line); undo(); }, { kind: "quiet" })]);
  line.dataset.kind = "";
}

export function complain(error) {
  announce(error?.message ?? String(error));
  byId("announcement").dataset.kind = "problem";
}

/** Runs what a click started, and shows why it failed. */
export async function attempt(action) {
  try { return await action(); } catch (error) { complain(error); }
}
