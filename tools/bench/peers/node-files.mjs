// The floor for files: node:http that hashes an upload, writes it to disk and flushes it before it answers, and streams it back.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = await mkdtemp(join(tmpdir(), "bench-files-"));
const pathOf = (url) => join(directory, url.replaceAll("/", "_"));
const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    const { size } = await stat(pathOf(request.url));
    response.writeHead(200, { "content-length": size });
    createReadStream(pathOf(request.url), { highWaterMark: 1 << 20 }).pipe(response);
    return;
  }
  if (request.headers["x-discard"] !== undefined) {
    // What client and loopback allow: the bytes are read, and that is all.
    request.resume().once("end", () => response.writeHead(200).end());
    return;
  }
  const hash = createHash("sha256");
  const file = await open(pathOf(request.url), "w");
  for await (const chunk of request) {
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.datasync();
  await file.close();
  response.writeHead(200).end(hash.digest("hex"));
  if (request.headers["x-keep"] === undefined) await rm(pathOf(request.url));
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
