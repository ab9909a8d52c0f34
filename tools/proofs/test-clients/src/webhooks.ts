import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { runCtl } from "@platform/stack/run-ctl";
import { type Env, run } from "./commands.ts";
import { expect } from "./steps.ts";

type Call = { readonly secret: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };

const versions = { npm: "1.1.1", python: "1.1.0" };
const names = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
const secrets = [`whsec_${Buffer.alloc(32, 7).toString("base64")}`, "plain text of at least thirty-two characters"];

/**
 * Calls that an attacker has changed. A replay within five minutes is not among them: the receiver must recognize it by
 * its id.
 */
const attacks: Readonly<Record<string, (call: Call) => Call>> = {
  altered: (call) => ({ ...call, body: `${call.body} ` }),
  "given another id": (call) => ({ ...call, headers: { ...call.headers, "webhook-id": crypto.randomUUID() } }),
  forged: (call) => signed(call, Buffer.alloc(32, 8), Math.floor(Date.now() / 1_000)),
  late: (call) => signed(call, keyOf(call.secret), Math.floor(Date.now() / 1_000) - 600),
};

const keyOf = (secret: string): Buffer =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);

function signed(call: Call, key: Buffer, seconds: number): Call {
  const content = `${call.headers["webhook-id"]}.${seconds}.${call.body}`;
  const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
  const headers = { ...call.headers, "webhook-timestamp": `${seconds}`, "webhook-signature": signature };
  return { ...call, headers };
}

/**
 * Checks that the official Standard Webhooks libraries accept every call of the platform, and no altered, forged or
 * late one.
 */
export function verifyWithOfficialLibraries(
  { npm, python, go }: Readonly<Record<"npm" | "python" | "go", string>>,
  directory: string,
  env: Env,
) {
  const calls: Call[] = [];
  const check = async (command: string, args: readonly string[], cwd: string): Promise<void> => {
    const attacking = Object.values(attacks).flatMap((attack) => calls.map(attack));
    const input = [...calls, ...attacking].map((call) => `${JSON.stringify(call)}\n`).join("");
    const verdicts = (await run(command, args, { cwd, input })).trim().split("\n");
    const expected = [...calls.map(() => "ok"), ...attacking.map(() => "refused")];
    expect(verdicts.join() === expected.join(), `verdicts: ${verdicts.join()}`);
  };
  const title = `accepts the calls and refuses what is ${Object.keys(attacks).join(", ")}`;
  return {
    "the platform calls an endpoint under each form of secret, when invoked and for an event": async () => {
      for (const secret of secrets) calls.push(...(await receiveCalls(secret, directory, env)));
    },
    [`npm's library ${title}`]: async () => {
      writeFileSync(join(npm, "package.json"), '{ "private": true, "type": "module" }\n');
      const install = ["install", "--no-audit", "--no-fund", "--loglevel=error", `standardwebhooks@${versions.npm}`];
      await run("npm", install, { cwd: npm });
      await check(process.execPath, ["program.js"], npm);
    },
    [`Python's library ${title}`]: async () => {
      await run("python3", ["-m", "venv", "venv"], { cwd: python });
      await run("venv/bin/pip", ["install", "-q", `standardwebhooks==${versions.python}`], { cwd: python });
      await check("venv/bin/python", ["program.py"], python);
    },
    [`Go's library ${title}`]: async () => {
      const environment = { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
      await run("go", ["mod", "tidy"], { cwd: go, env: environment });
      await run("go", ["build", "-o", "program", "."], { cwd: go, env: environment });
      await check("./program", [], go);
    },
  };
}

/** Registers an endpoint, triggers one call by an operator and one by an event, and returns both calls. */
async function receiveCalls(secret: string, directory: string, env: Env): Promise<Call[]> {
  const received: Call[] = [];
  let wake = (): void => {};
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.end();
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
    received.push({ secret, body, headers });
    wake();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the platform made ${received.length} calls`)), 30_000);
      wake = () => {
        if (received.length < count) return;
        clearTimeout(late);
        resolve();
      };
      wake();
    });
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${env.BASE_URL}/api/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${env.PROJECT_CREDENTIAL}`,
        "idempotency-key": crypto.randomUUID(),
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { data: { id: string } }).data;
  };
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    const operation = (await post("/scheduled-operations", { name: "test.clients", url, secret })).id;
    await runCtl(directory, ["schedules", "invoke", "--operation", operation]);
    await arrived(1);
    const subscribe = ["subscriptions", "create", "--operation", operation, "--types", "webhooks.test"];
    const { id } = (await runCtl(directory, subscribe)) as { id: string };
    await post("/domain-events", { type: "webhooks.test", schema_version: 1, data: { note: "Grüße, 世界" } });
    await arrived(2);
    await runCtl(directory, ["subscriptions", "delete", "--subscription", id]);
    return received;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
