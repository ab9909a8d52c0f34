import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Serves the responses of `answer` on a free loopback port. */
export async function listen(
  answer: (request: Request) => Promise<Response>,
): Promise<{ readonly baseUrl: string; close(): Promise<void> }> {
  const server = createServer(async (incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const body = await buffer(incoming);
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers,
      ...(body.byteLength === 0 ? {} : { body }),
    });
    const response = await answer(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
