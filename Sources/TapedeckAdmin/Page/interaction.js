// One interaction of the cassette in a dialog, with a place in it highlighted, such as where a secret was
// found.

import { get } from "./api.js";
import { pathOf } from "./actions.js";
import { showBody, table as fields } from "./body.js";
import { show } from "./dialogs.js";
import { attempt, element } from "./dom.js";
import { conversation } from "./messages.js";
import { recording } from "./model.js";
import { oneLine, visible } from "./text.js";

/** @param place as the scanner names it: `request.headers Authorization`, `response.body $.user.token`. */
export const look = (file, session, place) => attempt(async () => {
  const one = recording(await get(pathOf(file), { session: session ?? undefined }));
  const [part, where] = place?.split(/ (.*)/s) ?? [];
  const isIn = (name) => part === name;
  show(
    oneLine(file, 200),
    place && element("p", { class: "notice" }, `Highlighted: ${visible(place)}`),
    element("h3", {}, "Request"),
    element("p", { class: `code ${isIn("request.target") ? "found" : ""}` }, oneLine(one.line)),
    fields(marked(one.request.fields, isIn("request.headers") && where)),
    showBody(one.request.body, one.request.type, {}, isIn("request.body") ? markOf(where) : {}),
    element("h3", {}, `Response ${one.status}`),
    fields(marked(one.response.fields, isIn("response.headers") && where)),
    showBody(one.response.body, one.response.type, {}, isIn("response.body") ? markOf(where) : {}),
    one.webSocket && [element("h3", {}, "Messages"), conversation(one.webSocket)]);
  document.querySelector("#dialog .found")?.scrollIntoView({ block: "center" });
});

/** The rows of fields, that of the name marked. */
const marked = (rows, name) => rows.map(([key, value]) =>
  [key, value, name && key.toLowerCase() === name.split(/[ :]/)[0].toLowerCase() ? "found" : undefined]);

/** Marks the value at a path of JSON, and opens what it is in; of a body that is none, the body. */
function markOf(where) {
  const path = /^\$\S*/.exec(where ?? "")?.[0].replace(/:$/, "");
  if (!path) return { isFound: true };
  return {
    mark: (other, isBelow) => (isBelow ? path !== other && path.startsWith(other)
      : path === other && "found"),
  };
}
