import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Engine } from "./engine.ts";
import { createWireServer } from "./server.ts";

export type EmbeddedMongo = { uri: string; port: number; close(): Promise<void> };

export type EmbeddedMongoOptions = {
  /** Port to listen on. With 0, the default, the server chooses a free port. */
  port?: number;
  /** Folder in which the documents are stored. Without it, they are kept only in memory. */
  dataDir?: string;
  /** Called when writes can no longer be stored durably. From then on, no write is acknowledged. The default throws. */
  onFailure?: (error: Error) => void;
};

const expiryIntervalMs = 1000;

/** Starts an embedded MongoDB on 127.0.0.1. `close` ends its connections and resolves when every change is on disk. */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions = {}): Promise<EmbeddedMongo> {
  const onFailure = (error: Error) => {
    if (options.onFailure === undefined) throw error;
    options.onFailure(error);
  };
  const engine = new Engine(options.dataDir, onFailure);
  // Collects the garbage of loading before the first command, when Node allows it (--expose-gc).
  globalThis.gc?.();
  const { server, sockets } = createWireServer(engine);
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const expiry = setInterval(() => engine.expire(new Date()), expiryIntervalMs);
  expiry.unref();
  return {
    uri: `mongodb://127.0.0.1:${port}`,
    port,
    async close() {
      clearInterval(expiry);
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      await engine.journal.close();
    },
  };
}
