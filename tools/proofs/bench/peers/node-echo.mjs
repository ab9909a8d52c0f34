// The minimal server for comparison: node:http that returns the body of a POST, and a small object for a GET.
import { createServer } from "node:http";

const fixed = Buffer.from(JSON.stringify({ data: { id: "a", name: "bench", environment: "production" } }));
const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json", "content-length": fixed.byteLength }).end(fixed);
    return;
  }
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    response.writeHead(200, { "content-type": "application/json", "content-length": body.byteLength }).end(body);
  });
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
