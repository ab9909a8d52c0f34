import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Range of the returned ports, above the ports of stacks and below those that a system assigns (32,768 and up on Linux). */
const lowest = 30_000;
const count = 2_700;

/**
 * Returns a free port of 127.0.0.1 for a server that is about to start, and reserves it for this process as long as the process runs. The system never
 * assigns the port to outgoing connections or to servers on port 0, of which tests open thousands. Other callers of this function, in this process or another,
 * do not get it either, even if the server starts only minutes later.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = lowest + Math.floor(Math.random() * count);
    const reservation = await reserve(port);
    if (reservation === null) continue;
    if (await isFree(port)) return port;
    reservation.close();
  }
  throw new Error("no free port was found");
}

/**
 * Reserves a port by binding its UDP counterpart, which no server of the tests uses, because the kernel releases it even if this process is killed. Returns
 * null if the port is already reserved.
 */
async function reserve(port: number): Promise<Socket | null> {
  const socket = createSocket("udp4");
  const bound = once(socket, "listening");
  socket.bind({ port, address: "127.0.0.1", exclusive: true });
  try {
    await bound;
  } catch {
    socket.close();
    return null;
  }
  socket.unref();
  return socket;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
