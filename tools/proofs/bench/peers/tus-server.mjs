// @tus/server with its file store: resumable uploads without a hash and without a flush.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileStore } from "@tus/file-store";
import { Server } from "@tus/server";

const datastore = new FileStore({ directory: await mkdtemp(join(tmpdir(), "bench-tus-")) });
const tus = new Server({ path: "/files", datastore, relativeLocation: true });
const server = tus.listen({ host: "127.0.0.1", port: 0 }, () => console.log(`LISTENING ${server.address().port}`));
