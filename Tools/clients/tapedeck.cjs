"use strict";
/**
 * Tapedeck in node:test, Jest and Mocha: a cassette, overrides and a verdict for each test, on one proxy for the whole run.
 *
 *     const { withCassette } = require("./tapedeck.cjs"); // or: import { withCassette } from "./tapedeck.cjs";
 *
 *     test("users", withCassette("users", async (tapedeck) => {
 *       await tapedeck.override({ path: "/users/{id}", status: 503 });
 *       assert.equal((await fetch(`${tapedeck.url}/users/1`)).status, 503);
 *     }));
 *
 * package.json says what the proxy stands before: {"tapedeck": {"upstream": "https://api.example.com", "options": []}}.
 * Without an upstream it serves every host, for programs that a test starts with `tapedeck.env`.
 *
 * Each test is a session of the proxy with a cassette of its own. Runners give each file a process, so the first of
 * these starts the proxy, the others find it in a folder that is named after the runner, and it ends with the runner.
 */
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");
const { randomBytes } = require("node:crypto");
const { setTimeout: pause } = require("node:timers/promises");

const SESSION_PATH = "/session";
// Writes down the variables that `tapedeck run` sets, then lives as long as the runner does.
const WATCH = `umask 077; env -0 > "$0/part" && mv "$0/part" "$0/env"
while kill -0 "$1" 2>/dev/null; do sleep 0.2; done; rm -r "$0"`;

let known;
let count = 0;

/** The process of the test runner: the parent of one that a runner forked for a file, else this one. */
const runner = () => (process.env.NODE_TEST_CONTEXT || process.send ? process.ppid : process.pid);

/** When a process was started, so that a number that is used again names another folder. */
function startOf(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function settings() {
  let found = {};
  try {
    found = JSON.parse(fs.readFileSync(path.resolve("package.json"), "utf8")).tapedeck ?? {};
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  return { upstream: process.env.TAPEDECK_UPSTREAM || found.upstream, options: found.options ?? [] };
}

function mode() {
  const isCI = !["", "0", "false", "no"].includes((process.env.CI ?? "").toLowerCase());
  return process.env.TAPEDECK_MODE || (isCI ? "none" : "once");
}

function start(folder, pid) {
  const { upstream, options } = settings();
  const kind = upstream ? ["--upstream", upstream, "--session-path", SESSION_PATH] : ["--forward", "--session-user"];
  const command = ["run", "--mode", "none", ...kind, "--admin-port", "0", "--admin-ready-file", `${folder}/admin`];
  const errors = fs.openSync(`${folder}/stderr`, "w", 0o600);
  const fail = (reason) => {
    const text = fs.existsSync(`${folder}/stderr`) ? fs.readFileSync(`${folder}/stderr`, "utf8") : "";
    if (fs.existsSync(`${folder}/env`)) return;
    fs.writeFileSync(`${folder}/failed`, `${reason}\n${text}`.trim());
    process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  };
  const child = spawn(process.env.TAPEDECK || "tapedeck", [...command, ...options, "--", "sh", "-c", WATCH, folder, `${pid}`], {
    detached: true, stdio: ["ignore", "ignore", errors],
    env: { ...process.env, TAPEDECK_ADMIN_TOKEN: randomBytes(24).toString("base64url") },
  });
  fs.closeSync(errors);
  child.on("error", ({ code, path, message }) => fail(
    code === "ENOENT" ? `there is no program ${path}; install tapedeck, or set TAPEDECK to its path` : message));
  child.on("exit", (code) => fs.existsSync(folder) && fail(`it ended with ${code}`));
  child.unref();
}

/** The proxy of this run, started if it is the first that asks. */
async function proxy() {
  const pid = runner();
  const folder = path.join(os.tmpdir(), `tapedeck-${process.getuid()}-${pid}-${startOf(pid)}`);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    start(folder, pid);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (fs.lstatSync(folder).uid !== process.getuid()) throw new Error(`${folder} belongs to somebody else`);
  }
  for (const end = Date.now() + 30_000; !fs.existsSync(`${folder}/env`); await pause(10)) {
    const failure = fs.existsSync(`${folder}/failed`) && fs.readFileSync(`${folder}/failed`, "utf8");
    if (failure || Date.now() > end) throw new Error(`tapedeck cannot be started: ${failure || "no sign of it for 30 s"}`);
  }
  const entries = fs.readFileSync(`${folder}/env`, "utf8").split("\0").filter((entry) => entry.includes("="));
  const env = Object.fromEntries(entries.map((entry) => [entry.split("=", 1)[0], entry.slice(entry.indexOf("=") + 1)]));
  const token = env.TAPEDECK_ADMIN_TOKEN;
  const changed = Object.entries(env).filter(([name, value]) => process.env[name] !== value && name !== "TAPEDECK_ADMIN_TOKEN");
  return { admin: fs.readFileSync(`${folder}/admin`, "utf8").trim().replace(/\/$/, ""), token, env: Object.fromEntries(changed) };
}

/** The proxy as one test sees it. */
class Tapedeck {
  constructor(facts, cassette) {
    this.facts = facts;
    this.cassette = cassette;
    /** The session's name. */
    this.name = `${process.pid}-${process.env.JEST_WORKER_ID ?? "main"}-${(count += 1)}-${randomBytes(3).toString("hex")}`;
    const base = facts.env.TAPEDECK_PROXY;
    /** The base URL that leads to the origin; undefined without an upstream. */
    this.url = base ? undefined : `${facts.env.TAPEDECK_URL}${SESSION_PATH}/${this.name}`;
    /** The URL of the forward proxy; undefined with an upstream. */
    this.proxy = base?.replace("://", `://${this.name}:x@`);
    /** The environment of a program that is to use the proxy. */
    this.env = { ...process.env, ...facts.env };
    for (const [name, value] of Object.entries(facts.env)) if (value === base) this.env[name] = this.proxy;
    if (this.url) this.env.TAPEDECK_URL = this.url;
  }

  /** Asks the admin API; `path` is below `/v1`. */
  call(method, path, body, query = {}) {
    const search = new URLSearchParams(query).toString();
    const content = body === undefined ? "" : JSON.stringify(body);
    const headers = { Authorization: `Bearer ${this.facts.token}`, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(content) };
    return new Promise((resolve, reject) => {
      const request = http.request(`${this.facts.admin}${path}${search && "?"}${search}`, { method, headers, agent: false }, (response) => {
        const pieces = [];
        response.on("data", (piece) => pieces.push(piece)).on("error", reject).on("end", () => {
          const text = Buffer.concat(pieces).toString();
          const json = text ? JSON.parse(text) : undefined;
          if (response.statusCode < 300) return resolve(json);
          reject(Object.assign(new Error(json?.detail ?? text), { status: response.statusCode }));
        });
      });
      request.on("error", reject).end(content);
    });
  }

  /** Adds a rule for this test: one of `routes`, `patches`, `faults` or `resources`, as in an overrides file. */
  override(declaration, kind = "routes") {
    return this.call("POST", `/${kind}`, declaration, { session: this.name });
  }

  /** The requests of this test; filters are those of `tapedeck ctl requests`. */
  async requests(filters = {}) {
    return (await this.call("GET", "/requests", undefined, { session: this.name, ...filters })).entries;
  }

  /** Why requests got no response; undefined where all of them got one. */
  async explanation() {
    const reasons = new Set();
    for (const entry of await this.requests({ source: "unmatched" })) {
      const exchange = await this.call("GET", `/requests/${entry.number}`, undefined, { session: this.name });
      reasons.add(exchange.response.body?.detail ?? entry.why);
    }
    if (reasons.size && this.lacksCassette) reasons.add(`there is no cassette ${this.cassette}`);
    if (reasons.size) return `${[...reasons].join("\n")}\nto record what is new, run the test with TAPEDECK_MODE=new_episodes`;
  }

  async begin() {
    for (const end = Date.now() + 60_000; ; await pause(20)) {
      try {
        return await this.call("PUT", `/sessions/${this.name}`, undefined, { cassette: this.cassette, mode: mode() });
      } catch (error) {
        if (error.status === 404) {
          // Nothing is recorded: overrides alone may respond.
          this.lacksCassette = true;
          return this.call("PUT", `/sessions/${this.name}`);
        }
        // Another test is recording into the cassette.
        if (error.status !== 423 || Date.now() > end) throw error;
      }
    }
  }

  end() {
    return this.call("DELETE", `/sessions/${this.name}`);
  }
}

/** A test's body that has a cassette: calls `body` with a `Tapedeck`, then with what the runner gives. */
function withCassette(name, body) {
  // Without parameters in the signature: Jest and Mocha would take one for a callback.
  return async function (...context) {
    known ??= proxy();
    const tapedeck = new Tapedeck(await known, name);
    await tapedeck.begin();
    let explanation;
    try {
      await body.call(this, tapedeck, ...context);
      explanation = await tapedeck.explanation();
    } catch (error) {
      const reason = await tapedeck.explanation();
      if (reason && error instanceof Error) error.message += `\n${reason}`;
      throw error;
    } finally {
      await tapedeck.end();
    }
    if (explanation) throw new Error(explanation);
  };
}

module.exports = { withCassette };
