import { createServer } from "node:net";

/** Range of the returned ports, above the ports of stacks and below those that a system assigns (32,768 and up on Linux). */
const lowest = 30_000;
const count = 2_700;

/**
 * Returns a free port of 127.0.0.1 for a server that is about to start. The system never assigns this port to outgoing connections or to servers on port 0.
 * Tests open thousands of those, and one of them could otherwise take the port before the server starts.
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
