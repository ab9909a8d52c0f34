import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { readEntryConfig } from "./entry-config.ts";
import { secretStandIns } from "./manifests/check-environment.ts";
import { readSource, repositoryRoot, sourceFiles } from "./source-files.ts";

const documents = ["README.md", ...readdirSync(join(repositoryRoot, "docs")).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith(".md"))
  .map(readSource)
  .join("\n");

/** Returns the names of variables in the zod schemas with which processes read their environment. */
function readNames(): string[] {
  const schemas = sourceFiles().filter((path) =>
    /^(apps\/[^/]+\/src\/config|libs\/kit\/src\/(process\/(read|s3)-env|service\/service-config)|apps\/events-svc\/src\/worker\/relay\/nats-settings)\.ts$/.test(
      path,
    ),
  );
  const names = schemas.flatMap((path) =>
    [
      ...readSource(path).matchAll(
        /^ +([A-Z][A-Z0-9]*_[A-Z0-9_]+|HOST): *(?:z|envFields|redisEnv|outbound|\w+Field|list)/gm,
      ),
    ].map(([, name = ""]) => name),
  );
  return [...new Set(names)];
}

test("names every setting that a process reads in README or docs", () => {
  const names = readNames();
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(documents))).toEqual([]);
});

const ofService = { MONGODB_URI: secretStandIns.MONGODB_URI, SERVICE_KEY: secretStandIns.SERVICE_KEY };
const ofServer = { ...ofService, OPERATOR_TOKEN: secretStandIns.OPERATOR_TOKEN };

/**
 * Expected output of a process before it exits: one problem per line, starting with the name of the invalid setting.
 */
function expectOneProblem(said: string, env: Readonly<Record<string, string>>): void {
  const lines = said.trim().split("\n");
  expect(lines).toEqual(["bad configuration", expect.stringMatching(/^ {2}[A-Z0-9_]+/)]);
  expect(lines[1]).toMatch(new RegExp(`\\b(${Object.keys(env).join("|")})\\b`));
}

const settingsOf = (app: string): Readonly<Record<string, string | undefined>> =>
  app.endsWith("-svc") ? ofServer : {};

// These entry points cover each function that starts a process: servers and workers, migrations, and backups.
test.concurrent.each([
  ["gateway", "main", { REDIS_URL: "http://redis" }],
  ["files-svc", "migrate", { SERVICE_KEY: "short" }],
  ["ads-svc", "backup", { BACKUP_PLACE: "s3:bucket" }],
] as const)("stops %s %s with one line that names the bad setting of %j", async (app, entry, env) => {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", `src/${entry}.ts`], {
    cwd: join(repositoryRoot, "apps", app),
    env: { PATH: process.env.PATH, ...settingsOf(app), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(code).toBe(1);
  expectOneProblem(said, env);
});

test.each([
  ["gateway", "main", { TRANSFER_DRAIN_SECONDS: "0" }],
  ["gateway", "main", { EVENTS_GRPC: "events-svc" }],
  ["gateway", "main", { FILES_GRPC: "files:8092,files" }],
  ["gateway", "main", { REDIS_SENTINELS: "sentinel:26379" }],
  ["console", "start-server", { REDIS_URL: "rediss://" }],
  ["console", "start-server", { CONSOLE_BASE_URL: "http://console.example" }],
  ["identity-svc", "start-server", { REDIS_URL: "redis://a,rediss://b" }],
  ["identity-svc", "start-worker", { REDIS_CA_FILE: "/nowhere" }],
  ["notify-svc", "start-server", { REDIS_URL: "rediss://a", REDIS_CA_FILE: "/nowhere" }],
  ["notify-svc", "start-worker", { MONGODB_URI: "postgres://x" }],
  ["ads-svc", "start-server", { MONGODB_AUTO_INDEX: "perhaps" }],
  ["events-svc", "start-server", { NATS_URL: "nats://a,http://b" }],
  ["events-svc", "start-worker", { NATS_USER: "relay" }],
  ["events-svc", "start-worker", { NATS_CREDS_FILE: "/nowhere" }],
  ["events-svc", "start-worker", { NATS_CA_FILE: "/nowhere" }],
  ["events-svc", "start-worker", { NATS_REPLICAS: "9" }],
  ["files-svc", "start-server", { BLOB_STORE: "ftp" }],
  ["files-svc", "start-server", { S3_ENDPOINT: "s3" }],
  ["files-svc", "start-server", { S3_ACCESS_KEY_ID: "key", BLOB_STORE: "s3", S3_BUCKET: "files" }],
  ["files-svc", "start-worker", { CLAMD_URL: "clamav:3310" }],
  ["files-svc", "start-server", { TRANSFER_DRAIN_SECONDS: "4h" }],
  ["ads-svc", "backup", { BACKUP_KEEP: "0" }],
  ["ads-svc", "backup", { S3_SECRET_ACCESS_KEY: "secret" }],
] as const)("prints one line for %s %s that names the bad setting of %j", async (app, entry, env) => {
  const { error } = await readEntryConfig(app, `src/${entry}.ts`, { ...settingsOf(app), ...env });
  expectOneProblem(error ?? "", env);
});
