// The minimal upload server for comparison: node:http that hashes a body, writes it to disk and flushes it before it
// responds.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const path = join(await mkdtemp(join(tmpdir(), "bench-files-")), "file");
const server = createServer(async (request, response) => {
  const hash = createHash("sha256");
  request.on("data", (chunk) => hash.update(chunk));
  // Collects the bytes that arrive during a write, and writes them together next.
  await pipeline(request, createWriteStream(path, { highWaterMark: 1024 * 1024, flush: true }));
  response.writeHead(200).end(hash.digest("hex"));
  await rm(path);
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
