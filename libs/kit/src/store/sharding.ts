import type { Connection } from "mongoose";

/**
 * How a collection is placed on a sharded cluster: distributed by a key, or on one shard with a reason. An optional
 * collection does not exist in every service.
 */
export type ShardRule =
  | { readonly key: Readonly<Record<string, 1>> }
  | { readonly unsharded: string; readonly isOptional?: boolean };

/** A rule for each collection of a service. */
export type Sharding = Readonly<Record<string, ShardRule>>;

/** A Project Client whose documents are kept in a zone of shards. */
export type ShardZone = { readonly zone: string; readonly clientId: string };

/** Rules of the collections that `startService` adds to every service's database. */
export const kitSharding: Sharding = { put_off_work: { unsharded: "a few items that failed, by sweep" } };

/** Returns the commands that shard a database's collections. They run on the database "admin" of a mongos. */
export function shardCommands(
  database: string,
  sharding: Sharding,
  zones: readonly ShardZone[] = [],
): Readonly<Record<string, unknown>>[] {
  const sharded = Object.entries(sharding).flatMap(([name, rule]) =>
    "key" in rule ? [[name, rule.key] as const] : [],
  );
  return sharded.flatMap(([name, key]) => {
    const namespace = `${database}.${name}`;
    const [field = ""] = Object.keys(key);
    const isByClient = field === "project_client_id" || name.endsWith("_heads");
    return [
      { shardCollection: namespace, key },
      // The range contains exactly one value of the key.
      ...(isByClient ? zones : []).map(({ zone, clientId }) => ({
        updateZoneKeyRange: namespace,
        min: { [field]: clientId },
        max: { [field]: `${clientId}\u0000` },
        zone,
      })),
    ];
  });
}

/**
 * Shards a database's collections. Sharding a collection again by the same key changes nothing.
 * @throws if the server is not a mongos, which sharding requires
 */
export async function shardDatabase(
  connection: Connection,
  commands: readonly Readonly<Record<string, unknown>>[],
  say: (line: string) => void,
): Promise<void> {
  const admin = connection.getClient().db("admin");
  const { msg } = await admin.command({ hello: 1 });
  if (msg !== "isdbgrid") throw new Error("--shard: this server is no mongos, so there are no shards to spread over");
  for (const command of commands) {
    await admin.command({ ...command });
    say(`done: ${JSON.stringify(command)}`);
  }
}

/** Lists what prevents a service's collections from being sharded by the rules. */
export function shardingProblems(connection: Connection, sharding: Sharding): string[] {
  const models = Object.values(connection.models);
  const names = new Set(models.map(({ collection }) => collection.collectionName));
  const unknown = Object.entries(sharding)
    .filter(([name, rule]) => !names.has(name) && !("isOptional" in rule && rule.isOptional === true))
    .map(([name]) => name);
  const problems = models.flatMap(({ collection, schema }) => {
    const name = collection.collectionName;
    const rule = sharding[name];
    if (rule === undefined) return [`${name} has no shard key and no reason why`];
    if (!("key" in rule)) return rule.unsharded === "" ? [`${name} gives no reason why it is not sharded`] : [];
    const key = Object.keys(rule.key);
    const indexes = [[{ _id: 1 }, {}], ...schema.indexes()] as [object, { unique?: boolean }][];
    const beginsWithKey = ([fields]: readonly [object, object]): boolean =>
      key.every((field, at) => Object.keys(fields)[at] === field);
    const [, ...own] = indexes;
    return [
      ...own
        .filter((index) => index[1].unique === true && !beginsWithKey(index))
        .map(([fields]) => `${name}: the unique index ${JSON.stringify(fields)} does not begin with the shard key`),
      ...(indexes.some(beginsWithKey) ? [] : [`${name}: no index begins with the shard key`]),
      ...key
        .filter((field) => schema.path(field) === undefined)
        .map((field) => `${name}: the shard key's field ${field} is not in its documents`),
    ];
  });
  return [...problems, ...unknown.map((name) => `${name} has a rule but is no collection`)];
}
