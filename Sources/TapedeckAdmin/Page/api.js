// The admin API, as this page calls it. The token lives in this module alone: it is never stored, and travels
// in a header, never in a URL.

let token = null;
let lost = () => {};

/** What the API refused, with the reason that it gave. */
export class Problem extends Error {
  constructor(status, body) {
    super([body?.detail ?? body?.title ?? `the proxy responded with ${status}`,
      body?.place && `at ${body.place}`]
      .filter(Boolean).join(", "));
    this.status = status;
    this.place = body?.place;
  }
}

/**
 * Trades the single-use code of the URL's fragment for a token, and removes the code from the URL at once.
 */
export async function takeAccess() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code") ?? location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (!code) throw new Problem(401, { detail: "this page opens with the link that “tapedeck ui” prints" });
  token = (await call("POST", "/v1/ui/tokens", { code })).token;
}

/**
 * @param act what to do when the token is not, or no longer, good: the proxy has ended, or another runs
 * there.
 */
export function whenAccessIsLost(act) { lost = act; }

export async function request(method, path, { body, headers, signal, query } = {}) {
  const items = Object.entries(query ?? {}).filter(([, value]) =>
    value !== undefined && value !== null && value !== "");
  const search = items.length ? `?${new URLSearchParams(items)}` : "";
  const response = await fetch(path + search, {
    method, signal, cache: "no-store", credentials: "omit", redirect: "error",
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }), ...headers,
    },
    body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
  });
  if (response.ok) return response;
  const problem = new Problem(response.status, await response.json().catch(() => null));
  if (response.status === 401) lost(problem);
  throw problem;
}

/** Calls an operation and gives its JSON; nothing where it has none. */
export async function call(method, path, body, query) {
  const response = await request(method, path, { body, query });
  return response.status === 204 ? undefined : response.json();
}

export const get = (path, query) => call("GET", path, undefined, query);
export const put = (path, body, query) => call("PUT", path, body, query);
export const post = (path, body, query) => call("POST", path, body, query);
export const remove = (path, query) => call("DELETE", path, undefined, query);
