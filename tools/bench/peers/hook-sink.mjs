// Takes signed calls, counts them by their id, and says how many there were: GET /count, DELETE /count.
import { createServer } from "node:http";

const seen = new Map();
let calls = 0;
const server = createServer((request, response) => {
  if (request.url === "/count") {
    const body = JSON.stringify({ calls, distinct: seen.size });
    if (request.method === "DELETE") {
      seen.clear();
      calls = 0;
    }
    response.writeHead(200, { "content-type": "application/json" }).end(body);
    return;
  }
  request.resume();
  request.on("end", () => {
    calls += 1;
    const id = request.headers["webhook-id"];
    if (id !== undefined) seen.set(id, (seen.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
