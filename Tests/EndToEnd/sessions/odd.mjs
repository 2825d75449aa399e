// Node's fetch and node:http with the characters that people put into URLs; prints what came back, as JSON.
import http from "node:http";

const base = process.argv[2];
const paths = JSON.parse(process.argv[3]);
const steps = [];
for (const path of paths) {
  const response = await fetch(base + path, { signal: AbortSignal.timeout(15000) });
  steps.push(["fetch", path, response.status, await response.text()]);
}
const agent = new http.Agent({ keepAlive: true });
for (const path of ["/filter?q={\"id\":1}", "/a|b", "/re?x=^a$&y=[0-9]", "/back`tick", "/w?p=C:\\dir"]) {
  steps.push(await new Promise((resolve, reject) => {
    const request = http.get(base.replace(/^http/, "http"), { path, agent, timeout: 15000 }, response => {
      let text = "";
      response.setEncoding("latin1");
      response.on("data", data => text += data);
      response.on("end", () => resolve(["http", path, response.statusCode, text]));
    });
    request.on("error", reject);
  }));
}
agent.destroy();
const url = new URL(base + "/search");
url.searchParams.append("filter[name]", "Zoë & co");
url.searchParams.append("sort", "-created,+name");
const controller = new AbortController();
const posted = await fetch(url, {
  method: "POST", body: new URLSearchParams([["a", "1|2"], ["ü", "{}"]]), signal: controller.signal });
steps.push(["form", url.pathname + url.search, posted.status, await posted.text()]);
const form = new FormData();
form.append("field", "värde");
form.append("file", new Blob(["content"], { type: "text/plain" }), "naïve.txt");
const uploaded = await fetch(base + "/upload", { method: "POST", body: form });
steps.push(["multipart", "/upload", uploaded.status, (await uploaded.text()).replace(/-{2,}formdata-undici-\d+/g, "BOUNDARY")]);
const streamed = await fetch(base + "/streamed", {
  method: "POST", duplex: "half", body: new Blob(["one", "two"]).stream(), headers: { "content-type": "text/plain" } });
steps.push(["stream", "/streamed", streamed.status, await streamed.text()]);
console.log(JSON.stringify(steps));
