// Receives signed calls and counts them by their id: GET /count.
import { createServer } from "node:http";

const seen = new Set();
let calls = 0;
const server = createServer((request, response) => {
  if (request.url === "/count") {
    response.end(JSON.stringify({ calls, distinct: seen.size }));
    return;
  }
  request.resume().on("end", () => {
    const id = request.headers["webhook-id"];
    // Calls of the bare loop have no id, so they receive a response but are not counted.
    if (id !== undefined) {
      calls += 1;
      seen.add(id);
    }
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
