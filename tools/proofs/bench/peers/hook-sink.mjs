// Receives signed calls and counts them by their id: GET /count. GET /arrived?distinct=N responds with true as soon as N distinct calls have arrived, or
// with false after a second, so that the wait for a backlog uses no processor time.
import { createServer } from "node:http";

const seen = new Set();
let calls = 0;
const waitMs = 1_000;
/** Functions that respond to those who wait, by the number of distinct calls for which they wait. */
const waiting = new Map();

function awaitDistinct(count, response) {
  const end = () => {
    clearTimeout(timer);
    waiting.delete(count);
    response.end(JSON.stringify(seen.size >= count));
  };
  const timer = setTimeout(end, waitMs);
  if (seen.size >= count) end();
  else waiting.set(count, end);
}

const server = createServer((request, response) => {
  if (request.url === "/count") {
    response.end(JSON.stringify({ calls, distinct: seen.size }));
    return;
  }
  if (request.url.startsWith("/arrived?")) {
    awaitDistinct(Number(request.url.split("=")[1]), response);
    return;
  }
  request.resume().on("end", () => {
    const id = request.headers["webhook-id"];
    // Calls of the bare loop have no id, so they receive a response but are not counted.
    if (id !== undefined) {
      calls += 1;
      seen.add(id);
      waiting.get(seen.size)?.();
    }
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
