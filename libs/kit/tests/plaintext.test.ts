import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { silentLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import { readEnv, tlsEnv } from "../src/process/read-env.ts";
import { tlsFiles } from "../src/process/tls-files.ts";
import { connectGrpc } from "../src/rpc/connect.ts";
import { serveGrpc } from "../src/rpc/serve.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Reads the setting from the environment as a process does. */
const settingOf = (env: NodeJS.ProcessEnv) => tlsFiles(readEnv(z.object(tlsEnv), env));

async function serve(host: string, env: NodeJS.ProcessEnv = {}) {
  const server = await serveGrpc({
    host,
    port: 0,
    tls: settingOf(env),
    logger: silentLogger(),
    metrics: createMetrics("test", { processMetrics: false }),
    services: [],
  });
  ends.push(() => server.close(0));
  return server;
}

function connect(address: string, env: NodeJS.ProcessEnv = {}) {
  const connection = connectGrpc({ address, tls: settingOf(env) });
  ends.push(() => connection.close());
  return connection;
}

const refusal =
  /^bad configuration\n {2}GRPC_PLAINTEXT_BEYOND_LOOPBACK: [^\n]+ or GRPC_PLAINTEXT_BEYOND_LOOPBACK=allow$/;

describe("plain text beyond loopback", () => {
  test.each(["0.0.0.0", "::", "192.0.2.7", "events-svc"])(
    "refuses to start when it listens on %s, and names the setting",
    async (host) => {
      await expect(serve(host)).rejects.toThrow(refusal);
    },
  );

  test.each([
    "events-svc:8096",
    "10.0.0.9:8096",
    "127.0.0.1:8096,10.0.0.9:8096",
    "[2001:db8::1]:8096",
    "localhost.example:1",
  ])("refuses to start when it calls %s, and names the setting", (address) => {
    expect(() => connect(address)).toThrow(refusal);
  });

  test("allows plain text beyond loopback by one value of the setting", async () => {
    const allowed = { GRPC_PLAINTEXT_BEYOND_LOOPBACK: "allow" };
    const { port } = await serve("0.0.0.0", allowed);
    expect(await connect(`127.0.0.1:${port}`).ready(60_000)).toBe(true);
    connect("events-svc:8096", allowed);
    expect(() => settingOf({ GRPC_PLAINTEXT_BEYOND_LOOPBACK: "yes" })).toThrow(/GRPC_PLAINTEXT_BEYOND_LOOPBACK: /);
  });
});

test.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])(
  "serves and calls plain text on loopback at %s",
  async (host) => {
    const { port } = await serve(host);
    const shown = host.includes(":") ? `[${host}]` : host;
    expect(await connect(`${shown}:${port}`).health(2_000)).toBe("ok");
  },
);
