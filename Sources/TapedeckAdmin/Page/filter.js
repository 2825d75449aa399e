// The words of the filter line, made into one test of a row.
//
//   users          somewhere in the method, URL, status, responder, file, session or reason
//   -users         not there
//   method:GET  path:/users  host:api.*  status:4xx  status:404  from:miss  file:get-u  session:a  why:patch
//   slower:100  (milliseconds)  larger:2000  (bytes)
//   "two words"    with the space

const WORD = /(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/g;

/** What the columns call the sources: the page says what people say. */
export const SOURCES = {
  route: "route", store: "resource", cassette: "cassette", upstream: "origin", unmatched: "miss",
  server: "refused",
};

const matches = (text, wanted) => {
  const [whole, part] = [String(text ?? "").toLowerCase(), wanted.toLowerCase()];
  if (!part.includes("*")) return whole.includes(part);
  const pattern = part.split("*").map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*");
  return new RegExp(`^${pattern}$`, "s").test(whole);
};

const TESTS = {
  method: (row, word) => row.method.toLowerCase() === word.toLowerCase(),
  path: (row, word) => matches(row.target, word),
  host: (row, word) => matches(row.host, word),
  status: (row, word) => (/^\dxx$/i.test(word) ? String(row.status)[0] === word[0] && row.status > 99
    : String(row.status) === word),
  from: (row, word) => row.from === word.toLowerCase()
    || row.applied.some((rule) => rule.startsWith(`${word.toLowerCase()} `)),
  file: (row, word) => matches(row.file, word),
  session: (row, word) => matches(row.session, word),
  why: (row, word) => matches(row.why, word),
  slower: (row, word) => row.milliseconds >= Number(word),
  larger: (row, word) => (row.bytes ?? 0) >= Number(word),
};

/** @returns {test, unknown}: a test of a row, and the words whose key there is not. */
export function filter(line) {
  const [tests, unknown] = [[], []];
  for (const [, not, key, quotedWord, plainWord] of line.matchAll(WORD)) {
    const word = quotedWord ?? plainWord;
    const isKnown = key === undefined || key in TESTS;
    if (!isKnown && !/^https?$/.test(key)) unknown.push(key);
    const test = key === undefined || !isKnown
      ? (row) => matches(row.everything, key === undefined ? word : `${key}:${word}`) : (row) =>
        TESTS[key](row, word);
    tests.push(not ? (row) => !test(row) : test);
  }
  return { test: (row) => tests.every((test) => test(row)), unknown };
}

/** The line with a word in it, or without it where it had it. */
export function toggled(line, word) {
  const words = line.split(/\s+/).filter(Boolean);
  const key = word.split(":")[0];
  const kept = words.filter((other) => other !== word && !other.startsWith(`${key}:`));
  return (words.includes(word) ? kept : [...kept, word]).join(" ");
}
