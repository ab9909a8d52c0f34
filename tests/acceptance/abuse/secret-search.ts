import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import type { OtlpRequest } from "@platform/test-kit/trace-receiver";
import { Redis } from "ioredis";
import { MongoClient } from "mongodb";

/** A location that must not contain a secret, and its contents. */
export type Haystack = { readonly place: string; readonly bytes: Buffer };

/** Reads all documents of the services' databases, one collection at a time, as BSON. */
export async function* mongoContents(uri: string, databasePrefix: string): AsyncGenerator<Haystack> {
  const client = await MongoClient.connect(uri);
  try {
    for (const name of serviceNames) {
      const database = client.db(databasePrefix + name);
      for (const { name: collection } of await database.listCollections({}, { nameOnly: true }).toArray()) {
        const documents = await database.collection(collection).find({}, { raw: true }).toArray();
        yield { place: `MongoDB ${name}.${collection}`, bytes: Buffer.concat(documents as unknown as Buffer[]) };
      }
    }
  } finally {
    await client.close();
  }
}

/** Reads all Redis keys with their values. */
export async function* redisContents(url: string): AsyncGenerator<Haystack> {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ count: 1_000 })) {
      for (const key of keys as string[]) {
        yield { place: `Redis ${key}`, bytes: Buffer.concat([Buffer.from(`${key}\n`), await contentOf(redis, key)]) };
      }
    }
  } finally {
    redis.disconnect();
  }
}

/** Reads values with type-specific commands, because DUMP would compress them. */
async function contentOf(redis: Redis, key: string): Promise<Buffer> {
  const type = await redis.type(key);
  const read: Readonly<Record<string, () => Promise<unknown>>> = {
    string: () => redis.getBuffer(key),
    hash: () => redis.hgetall(key),
    list: () => redis.lrange(key, 0, -1),
    set: () => redis.smembers(key),
    zset: () => redis.call("ZRANGE", key, "0", "-1"),
    stream: () => redis.xrange(key, "-", "+"),
    none: async () => null,
  };
  const value = await read[type]?.();
  if (value === undefined) throw new Error(`${key} is of type ${type}, which this search cannot read`);
  return Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
}

/** Reads the logs of the platform's own processes. */
export async function* logContents(directory: string): AsyncGenerator<Haystack> {
  const others = ["mongo.log", "redis.log", "provider-sink.log", "oidc-provider.log"];
  for (const name of await readdir(join(directory, "logs"))) {
    if (!others.includes(name)) yield { place: `log ${name}`, bytes: await readFile(join(directory, "logs", name)) };
  }
}

/** Reads the metrics of a process. */
export async function* metricsContents(ports: readonly number[]): AsyncGenerator<Haystack> {
  for (const port of ports) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    yield { place: `metrics on ${port}`, bytes: Buffer.from(await response.text()) };
  }
}

/** Reads all exported traces. */
export async function* traceContents(tracesUrl: string): AsyncGenerator<Haystack> {
  const response = await fetch(tracesUrl);
  for (const one of (await response.json()) as OtlpRequest[]) {
    yield {
      place: `a trace of ${JSON.stringify(one.resourceSpans[0]?.resource)}`,
      bytes: Buffer.from(JSON.stringify(one)),
    };
  }
}

/** The name of a secret and the encodings to search for: plain text, base64, and the bytes of a hex value. */
export type Secret = { readonly name: string; readonly forms: readonly Buffer[] };

export function secretOf(name: string, value: string): Secret {
  // Of a PEM only the second line is searched for, because line ends are encoded in several ways. Of a credential only
  // the secret part is searched for.
  const core = value.startsWith("-----")
    ? (value.split("\n")[2] ?? value)
    : value.replace(/^p(?:cred|sess)_[0-9a-f]{32}_/, "");
  const bytes = /^[0-9a-f]{64}$/.test(core) ? [Buffer.from(core, "hex")] : [];
  const base64 = Buffer.from(core).toString("base64").replace(/=+$/, "");
  return {
    name,
    forms: [
      Buffer.from(core),
      ...bytes,
      ...bytes.map((raw) => Buffer.from(raw.toString("base64url"))),
      Buffer.from(base64),
    ],
  };
}

/** Returns the name of each secret that was found, with its location. */
export async function findSecrets(haystacks: AsyncIterable<Haystack>, secrets: readonly Secret[]): Promise<string[]> {
  const found: string[] = [];
  for await (const { place, bytes } of haystacks) {
    for (const { name, forms } of secrets)
      if (forms.some((form) => bytes.includes(form))) found.push(`${name} in ${place}`);
  }
  return found;
}
