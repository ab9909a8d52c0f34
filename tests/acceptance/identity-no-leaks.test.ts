import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { readEnvFile } from "@platform/stack/settings";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import {
  arrive,
  enterCode,
  openProjectSite,
  type ProjectSite,
  password,
  readMail,
  register,
  startMigration,
} from "./identity-person.ts";
import { arrived } from "./notify-sink.ts";
import { acceptanceStack } from "./stack.ts";

const { api, ctl, directory } = acceptanceStack;
const settings = readEnvFile(join(directory, "stack.env"));
const newPassword = "seven purple umbrellas";
let browser: Browser;
let site: ProjectSite;
beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), openProjectSite()]);
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Returns all documents of all databases as text. */
async function dumpMongo(): Promise<string> {
  const client = await MongoClient.connect(settings.MONGODB_URI ?? "");
  const dumps: string[] = [];
  for (const service of serviceNames) {
    const database = client.db(`${settings.MONGODB_DATABASE_PREFIX ?? ""}${service}`);
    for (const { name } of await database.listCollections().toArray()) {
      dumps.push(JSON.stringify(await database.collection(name).find().toArray()));
    }
  }
  await client.close();
  return dumps.join("\n");
}

/** Returns all Redis keys with their values as text. DUMP is not used, because its compression would hide secrets. */
async function dumpRedis(): Promise<string> {
  const redis = new Redis(settings.REDIS_URL ?? "");
  const dumps: string[] = [];
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) dumps.push(key, JSON.stringify(await readValue(redis, key)));
  }
  redis.disconnect();
  return dumps.join("\n");
}

async function readValue(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  switch (type) {
    case "string":
      return redis.get(key);
    case "hash":
      return redis.hgetall(key);
    case "list":
      return redis.lrange(key, 0, -1);
    case "set":
      return redis.smembers(key);
    case "zset":
      return redis.zrange(key, "0", "-1");
    case "none": // The key expired between the scan and this read.
      return null;
    default:
      throw new Error(`${key} is a ${type}: this dump has to learn it`);
  }
}

function readLogs(): string {
  const folder = join(directory, "logs");
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

test("stores no token, password or credential of a migration in MongoDB, Redis or any log", async () => {
  const started = await startMigration(site);
  const person = await arrive(browser, site, started);
  await register(person);
  const mail = await readMail(started.email);
  await enterCode(person, mail.code);
  await person.page.getByRole("button", { name: "Link accounts" }).click();
  await person.page.getByRole("heading", { name: "Back at the project" }).waitFor();
  await api("POST", `/identity-migration-transactions/${started.id}/confirm-link`, {
    credential: site.client.credential,
  });
  const other = await startMigration(site);
  const account = await ctl(["accounts", "create", "--email", other.email, "--password", password]);
  const opened = await ctl(["sessions", "create", "--account", account.id]);
  await api("POST", `/identity-migration-transactions/${other.id}/email-verification`, {
    credential: opened.session,
    body: { flow_token: other.flowToken },
  });
  const otherMail = await readMail(other.email);
  expect((await fetch(otherMail.link)).status).toBe(200);
  expect((await fetch(otherMail.link)).status).toBe(422);

  const forgetful = await arrive(browser, site, await startMigration(site, { email: other.email }));
  await forgetful.page.getByRole("link", { name: "Forgot your password?" }).click();
  await forgetful.page.getByRole("button", { name: "Send the email" }).click();
  const [, resetMail] = await arrived("email", other.email, 2);
  const reset = /https?:\/\/\S+\/reset-password\/[0-9a-f]{64}/.exec(resetMail?.parsed.text ?? "")?.[0] ?? "";
  await forgetful.page.goto(reset);
  await forgetful.page.getByLabel("New password").fill(newPassword);
  await forgetful.page.getByRole("button", { name: "Set the password" }).click();
  await forgetful.page.getByRole("heading", { name: "Your password has been changed" }).waitFor();
  await forgetful.context.close();

  const secretOf = (token: string): string => token.split(/[_./]/).at(-1) ?? "";
  const secrets: Record<string, string> = {
    password,
    credential: secretOf(site.client.credential),
    session: secretOf(opened.session),
    flowToken: started.flowToken,
    otherFlowToken: other.flowToken,
    continuationToken: started.continuation.continuation_token,
    resetToken: secretOf(reset),
    newPassword,
    otherLinkToken: secretOf(otherMail.link),
  };
  for (const cookie of await person.context.cookies()) secrets[cookie.name] = secretOf(cookie.value);
  await person.context.close();
  const places = { mongo: await dumpMongo(), redis: await dumpRedis(), logs: readLogs() };
  expect(places.mongo).toContain(started.id);
  expect(places.redis).toContain(site.client.id);
  expect(places.logs).toContain("identity.createIdentityMigrationTransaction");
  const found = Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(places).flatMap(([place, text]) => (text.includes(secret) ? [`${name} in ${place}`] : [])),
  );
  expect(Object.values(secrets).every((secret) => secret.length >= 16)).toBe(true);
  expect(found).toEqual([]);
});
