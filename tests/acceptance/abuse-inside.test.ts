import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { readEnvFile } from "@platform/stack/settings";
import { createTestAuthority } from "@platform/test-kit/certificates";
import { eventually } from "@platform/test-kit/eventually";
import { describe, expect, test } from "vitest";
import { acceptanceStack } from "./stack.ts";

/** An attacker in the network between gateway and services calls a service's HTTP port directly. */
const { directory } = acceptanceStack;
const settings = readEnvFile(join(directory, "stack.env"));
const tls = join(directory, "tls");
const read = (name: string, file: string): string => readFileSync(join(tls, name, file), "utf8");
const paths: Readonly<Record<string, string>> = {
  IDENTITY_HTTP: "/api/v1/identity-migration/sign-in",
  FILES_HTTP: "/api/v1/file-downloads/x",
  NOTIFY_HTTP: "/api/v1/unsubscribe/x",
};
const logOf = (variable: string): string =>
  readFileSync(join(directory, "logs", `${variable.split("_")[0]?.toLowerCase()}-svc.log`), "utf8");

/** Returns the status of the response. Rejects if the connection ends without a response. */
async function ask(variable: string, options: RequestOptions | null): Promise<number | undefined> {
  const [host, port] = (settings[variable] ?? "").split(":");
  const target = { host, port, path: paths[variable], agent: false as const };
  const sent = options === null ? plainRequest(target) : request({ ...target, ...options, rejectUnauthorized: false });
  const [response] = (await once(sent.end(), "response", { signal: AbortSignal.timeout(10_000) })) as [
    { statusCode?: number; resume(): void },
  ];
  response.resume();
  return response.statusCode;
}

const isOurs = existsSync(tls);

describe.runIf(isOurs).each(Object.keys(paths))("the port %s", (variable) => {
  test("serves the gateway's certificate", async () => {
    const own = { cert: read("gateway", "tls.crt"), key: read("gateway", "tls.key") };
    expect(await ask(variable, own)).toEqual(expect.any(Number));
  });

  test("disconnects a client that speaks plain HTTP", async () => {
    await expect(ask(variable, null)).rejects.toThrow(/hang up|ECONNRESET/);
  });

  test("disconnects a client without a certificate", async () => {
    await expect(ask(variable, {})).rejects.toThrow(/certificate required|hang up|ECONNRESET/i);
  });

  test.each(["ads-svc", "events-svc", "operator"])("disconnects a client with the certificate of %s", async (name) => {
    await expect(ask(variable, { cert: read(name, "tls.crt"), key: read(name, "tls.key") })).rejects.toThrow(
      /hang up|ECONNRESET/,
    );
    await eventually(() => logOf(variable).includes(`"caller":"${name}"`), { what: "the refusal is logged" });
  });

  test("disconnects a client whose certificate has the gateway's name but is from another authority", async () => {
    await expect(ask(variable, await (await createTestAuthority()).issue("gateway"))).rejects.toThrow(
      /alert|hang up|ECONNRESET/,
    );
  });
});
