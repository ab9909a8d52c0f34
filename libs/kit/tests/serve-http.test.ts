import { once } from "node:events";
import { Agent, get } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { serveHttp } from "../src/web/serve-http.ts";

const agent = new Agent({ keepAlive: true, timeout: 30_000 });

const callers: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  fetch: async (url) => (await fetch(url)).text(),
  "an agent of node:http with a timeout": async (url) => {
    const [response] = await once(get(url, { agent }), "response");
    return buffer(response);
  },
};

test.each(Object.entries(callers))(
  "lets the caller close an idle connection of %s before a draining server does",
  async (_caller, ask) => {
    const http = await serveHttp((_request, response) => response.end("ok"), { host: "127.0.0.1", port: 0 });
    const opened = once(http.server, "connection") as Promise<[Socket]>;
    await ask(`http://127.0.0.1:${http.port}/`);
    const [socket] = await opened;
    const closedBy = Promise.race([
      once(socket, "end").then(() => "the caller"),
      once(socket, "close").then(() => "the server"),
    ]);
    http.drain();
    await http.close();
    expect(await closedBy).toBe("the caller");
  },
  20_000,
);
