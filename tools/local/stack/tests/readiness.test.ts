import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waitUntilReady } from "../src/readiness.ts";

let directory: string;
let logPath: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "readiness-"));
  logPath = join(directory, "redis.log");
  await writeFile(logPath, "bind: Address already in use\n");
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test("does not mistake another process at the port for one that has ended", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const isReady = async (): Promise<boolean> => {
    resolve("ended with code 1");
    await ended;
    return true;
  };
  await expect(waitUntilReady({ name: "redis", logPath, isReady }, ended)).rejects.toThrow(
    /redis ended with code 1; see .*redis\.log\nbind: Address already in use/,
  );
});

test("reports that a process has ended even if it left no log", async () => {
  const process = { name: "redis", logPath: join(directory, "none.log"), isReady: async () => false };
  await expect(waitUntilReady(process, Promise.resolve("ended with SIGKILL"))).rejects.toThrow(/ended with SIGKILL/);
});
