import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";

/** Returns the log line of an error with additional fields. */
function logged(fields: Record<string, unknown>): string {
  const lines: string[] = [];
  const logger = createLogger("test", "info", { write: (line) => void lines.push(line) });
  logger.error(fields, "failed");
  return lines.join("");
}

const secrets: readonly [string, string, string][] = [
  [
    "the address in a duplicate key",
    "person@example.com",
    'E11000 duplicate key error collection: identity.platform_accounts index: login_identifiers.email_1 dup key: { login_identifiers.email: "person@example.com" }',
  ],
  [
    "a duplicate key of several lines",
    "second line",
    'E11000 duplicate key error collection: c index: legacy_subject_1 dup key: { legacy_subject: "first }\nsecond line" }',
  ],
  ["the password in a URL", "hunter2", "connect failed to mongodb://root:hunter2@mongo.internal:27017/?replicaSet=rs0"],
  ["a token", "ab".repeat(32), `no route for /api/v1/file-uploads/${"ab".repeat(32)}`],
];

test.each(secrets)("removes %s from an error's message, its stack and its cause", (_what, secret, message) => {
  const error = new Error(message);
  expect(logged({ err: error })).not.toContain(secret);
  expect(logged({ err: new Error("outer", { cause: error }) })).not.toContain(secret);
});

test("logs the cause of a failure and where it occurred", () => {
  const line = JSON.parse(logged({ err: new Error("E11000 duplicate key error index: a_1 dup key: { a: 1 }") }));
  expect(line.err.message).toBe("E11000 duplicate key error index: a_1 dup key");
  expect(line.err.stack).toContain("logger.test.ts");
});

test("omits fields that are not on the allow-list", () => {
  expect(logged({ flow_token: "secret-value", count: 1 })).not.toContain("secret-value");
});

/** Returns the output of a separate process that logs 500 lines and then runs the statement `end`. */
function loggedByProcess(end: string): string[] {
  const script = `
    import { createLogger } from ${JSON.stringify(import.meta.resolve("./logger.ts"))};
    const logger = createLogger("test", "info");
    for (let count = 0; count < 500; count += 1) logger.info({ count, reason: "größer als 日本" }, "line");
    ${end}`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  return stdout.trimEnd().split("\n");
}

test.each([
  ["when it ends by itself", ""],
  ["when it exits once they are flushed, as every process of ours does", "logger.flush(() => process.exit(0));"],
])("writes all lines of a process to stdout, complete and in order, %s", (_when, end) => {
  const lines = loggedByProcess(end).map((line) => JSON.parse(line));
  expect(lines.map((line) => line.count)).toEqual(Array.from({ length: 500 }, (_, count) => count));
  expect(lines[499].reason).toBe("größer als 日本");
});

test("writes a line within a short time, even if no other line follows", async () => {
  const script = `
    import { createLogger } from ${JSON.stringify(import.meta.resolve("./logger.ts"))};
    createLogger("test", "info").info({ count: 1 }, "line");
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [bytes] = await once(child.stdout, "data");
  expect(JSON.parse(String(bytes))).toMatchObject({ count: 1, msg: "line" });
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});
