import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, expect, test } from "vitest";
import { openCtl } from "../src/open-ctl.ts";
import { freePortBase } from "../src/ports.ts";
import { repositoryRoot, startStack } from "../src/stack.ts";

const directories: string[] = [];
async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "platform-one-"));
  directories.push(directory);
  return directory;
}
afterAll(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))));

/** Command lines of the processes that a process started. */
function childrenOf(parent: number): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, ppid] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
        return Number(ppid) === parent ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")] : [];
      } catch {
        // The process ended while this check was running.
        return [];
      }
    });
}

/** Runs `make run` with the platform in one process; resolves when it is ready. */
async function makeRun(): Promise<{ child: ChildProcess; lines: string[] }> {
  const directory = await newDirectory();
  const child = spawn(process.execPath, [join(repositoryRoot, "tools/local/stack/src/main.ts")], {
    env: {
      ...process.env,
      STACK_PROCESSES: "one",
      // Prometheus and Alertmanager are processes of their own and are not installed for this ring of tests.
      STACK_MONITORING: "off",
      STACK_DIR: directory,
      STACK_PORT_BASE: `${await freePortBase()}`,
      MONGODB_DATABASE_PREFIX: `${basename(directory)}_`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => lines.push(line));
  await eventually(() => child.exitCode !== null || lines.some((line) => line.startsWith("READY ")), {
    timeoutMs: 180_000,
    what: "the stack is ready",
  });
  expect(child.exitCode, lines.join("\n")).toBeNull();
  return { child, lines };
}

test("runs the platform in one process, serves every domain, and ends with exit code 0 at Ctrl-C", async () => {
  const { child, lines } = await makeRun();
  const processes = childrenOf(child.pid ?? -1);
  expect(processes.filter((line) => line.includes("start-platform.ts"))).toHaveLength(1);
  expect(processes.filter((line) => /apps\/|oidc-provider/.test(line))).toEqual([]);
  for (const domain of [
    "client",
    "audit",
    "event",
    "identity",
    "file",
    "notification",
    "schedule",
    "impression",
    "health",
  ])
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(new RegExp(`^ +${domain} .* -> 20[01] `))]));
  child.kill("SIGINT");
  const [code, signal] = await once(child, "exit");
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(lines.at(-1)).toMatch(/stopped$/);
});

test("keeps every acknowledged event and audit when its process is killed under load, and serves them after a restart", async () => {
  const directory = await newDirectory();
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    processes: "one",
    env: { MONGODB_DATABASE_PREFIX: `${basename(directory)}_` },
  });
  const ctl = openCtl(directory);
  const run = async (...args: readonly string[]): Promise<any> => ctl.run(args);
  try {
    const { id: client } = await run("clients", "create", "--name", "one", "--environment", "development");
    const scopes = "events:write,audit:write";
    const { credential } = await run("credentials", "issue", "--client", client, "--scopes", scopes);
    const post = async (
      path: string,
      key: string,
      body: object,
    ): Promise<{ status: number; id: string | undefined }> => {
      const response = await fetch(`${stack.baseUrl}/api/v1${path}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${credential}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        body: JSON.stringify(body),
      });
      const { data } = (await response.json()) as any;
      return { status: response.status, id: data?.id };
    };
    const acknowledged = { "/domain-events": new Map<string, string>(), "/project-audits": new Map<string, string>() };
    const bodies = {
      "/domain-events": { type: "order.placed", schema_version: 1, data: { order: 1 } },
      "/project-audits": {
        actor_id: "user-1",
        action: "document.published",
        resource_type: "document",
        resource_id: "document-1",
        outcome: "succeeded",
      },
    };
    let isKilled = false;
    const load = Array.from({ length: 8 }, async (_, index) => {
      const path = index % 2 === 0 ? "/domain-events" : "/project-audits";
      while (!isKilled) {
        const key = randomUUID();
        const id = await post(path, key, bodies[path]).then(
          (made) => made.id,
          () => undefined,
        );
        if (id !== undefined) acknowledged[path].set(key, id);
      }
    });
    const { "/domain-events": events, "/project-audits": audits } = acknowledged;
    await eventually(() => events.size >= 100 && audits.size >= 100, {
      timeoutMs: 120_000,
      what: "200 are acknowledged",
    });
    await stack.kill("platform");
    isKilled = true;
    await Promise.all(load);

    await stack.start("platform");
    // The claim of a response that was sent just before the kill is held until its lease expires. Until then, a
    // repeated request is asked to try again later.
    const repeat = (path: keyof typeof bodies, key: string): Promise<{ status: number; id: string | undefined }> =>
      eventually(async () => {
        const repeated = await post(path, key, bodies[path]);
        return repeated.status !== 409 && repeated;
      });
    for (const [path, made] of Object.entries(acknowledged) as [
      "/domain-events" | "/project-audits",
      Map<string, string>,
    ][])
      for (const [key, id] of made) expect(await repeat(path, key)).toMatchObject({ id });
    expect(await run("audits", "verify", "--client", client)).toMatchObject({ valid: true });
    const { length } = await run("audits", "verify", "--client", client);
    expect(length).toBeGreaterThanOrEqual(audits.size);
  } finally {
    ctl.close();
    await stack.stop();
  }
});

test("refuses to end or start one part alone, and names the process that it runs in", async () => {
  const directory = await newDirectory();
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    processes: "one",
    env: { MONGODB_DATABASE_PREFIX: `${basename(directory)}_` },
  });
  try {
    expect(stack.pid("events-svc-worker")).toBe(stack.pid("platform"));
    await expect(stack.kill("events-svc-worker")).rejects.toThrow(/events-svc-worker runs in the process platform/);
    await expect(stack.start("gateway")).rejects.toThrow(/gateway runs in the process platform/);
  } finally {
    await stack.stop();
  }
});
