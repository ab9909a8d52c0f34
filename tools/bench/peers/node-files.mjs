// The floor for uploads: node:http that hashes one, writes it to disk and flushes it before it answers.
import { createHash } from "node:crypto";
import { mkdtemp, open, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const path = join(await mkdtemp(join(tmpdir(), "bench-files-")), "file");
const server = createServer(async (request, response) => {
  const hash = createHash("sha256");
  const file = await open(path, "w");
  for await (const chunk of request) {
    hash.update(chunk);
    await file.write(chunk);
  }
  await file.datasync();
  await file.close();
  response.writeHead(200).end(hash.digest("hex"));
  await rm(path);
});
server.listen(0, "127.0.0.1", () => console.log(`LISTENING ${server.address().port}`));
