import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { runCtl } from "@platform/stack/run-ctl";
import { type Env, run } from "./commands.ts";
import { expect } from "./steps.ts";

type Call = { readonly secret: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };

const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const secrets = [`whsec_${Buffer.alloc(32, 7).toString("base64")}`, "plain text of at least thirty-two characters"];

/** The official Standard Webhooks libraries of Python and Go accept what the platform sends, and nothing altered. */
export function verifyWithOfficialLibraries([python, go]: readonly [string, string], directory: string, env: Env) {
  const calls: Call[] = [];
  const judge = async (command: string, args: readonly string[], cwd: string): Promise<void> => {
    const altered = calls.map((call) => ({ ...call, body: `${call.body} ` }));
    const input = [...calls, ...altered].map((call) => `${JSON.stringify(call)}\n`).join("");
    const verdicts = (await run(command, args, { cwd, input })).trim().split("\n");
    const expected = [...calls.map(() => "ok"), ...altered.map(() => "refused")];
    expect(verdicts.join() === expected.join(), `verdicts: ${verdicts.join()}`);
  };
  return {
    "the platform calls an endpoint under each form of secret": async () => {
      for (const secret of secrets) calls.push(await receiveCall(secret, directory, env));
    },
    "Python's library accepts the calls and refuses altered ones": async () => {
      await run("python3", ["-m", "venv", "venv"], { cwd: python });
      await run("venv/bin/pip", ["install", "-q", "standardwebhooks==1.1.0"], { cwd: python });
      await judge("venv/bin/python", ["program.py"], python);
    },
    "Go's library accepts the calls and refuses altered ones": async () => {
      const environment = { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
      await run("go", ["mod", "tidy"], { cwd: go, env: environment });
      await run("go", ["build", "-o", "program", "."], { cwd: go, env: environment });
      await judge("./program", [], go);
    },
  };
}

/** Registers an endpoint, has it called once, and answers the call. */
async function receiveCall(secret: string, directory: string, env: Env): Promise<Call> {
  const received = Promise.withResolvers<Call>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.end();
    received.resolve({
      secret,
      body,
      headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name])])),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    const response = await fetch(`${env.BASE_URL}/api/v1/scheduled-operations`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${env.PROJECT_CREDENTIAL}`,
        "idempotency-key": crypto.randomUUID(),
        "content-type": "application/json",
      },
      body: JSON.stringify({ name: "test.clients", url, secret }),
    });
    const { data } = (await response.json()) as { data: { id: string } };
    await runCtl(directory, ["schedules", "invoke", "--operation", data.id]);
    const late = AbortSignal.timeout(30_000);
    late.addEventListener("abort", () => received.reject(new Error("the platform did not call")));
    return await received.promise;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
