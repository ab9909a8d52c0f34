// Takes signed calls and counts them by their id: GET /count. Keeps how long after its due time each came: DELETE /lateness answers the
// quantiles in milliseconds of what came since the last time, and forgets them.
import { createServer } from "node:http";

const seen = new Set();
let calls = 0;
let lateness = [];

const answer = (response, value) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

function takeLateness() {
  const sorted = Float64Array.from(lateness).sort();
  lateness = [];
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
}

const server = createServer((request, response) => {
  if (request.url === "/count") return answer(response, { calls, distinct: seen.size });
  if (request.url === "/lateness") return answer(response, takeLateness());
  const arrivedAtMs = Date.now();
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    const id = request.headers["webhook-id"];
    // The bare loop beside the platform has no id: it is only answered.
    if (id !== undefined) {
      calls += 1;
      seen.add(id);
      lateness.push(arrivedAtMs - Date.parse(JSON.parse(body).scheduled_for));
    }
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
