import { createServer } from "node:net";

/** Above the ports of stacks and below those that a system assigns (32,768 and up on Linux). */
const lowest = 30_000;
const count = 2_700;

/**
 * A free port of 127.0.0.1 for a server that is about to start. Outgoing connections and servers on port 0 never get
 * it: tests open thousands of those, and one of their ports could be taken again in the meantime.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
  throw new Error("no free port was found");
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
