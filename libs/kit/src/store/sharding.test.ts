import { Schema } from "mongoose";
import { expect, test } from "vitest";
import { offlineConnection } from "./connect.ts";
import { shardCommands, shardingProblems } from "./sharding.ts";

const connectionWith = (schema: Schema) => {
  const connection = offlineConnection();
  connection.model("Order", schema);
  return connection;
};
const fields = { project_client_id: String, number: Number };
const key = { orders: { key: { project_client_id: 1 } } } as const;

test("reports a collection without a rule, and a rule without a collection", () => {
  const connection = connectionWith(new Schema(fields, { collection: "orders" }));
  expect(shardingProblems(connection, { customers: { unsharded: "few" } })).toEqual([
    "orders has no shard key and no reason why",
    "customers has a rule but is no collection",
  ]);
});

test("reports a unique index that a sharded cluster could not keep unique", () => {
  const schema = new Schema(fields, { collection: "orders" });
  schema.index({ project_client_id: 1 });
  schema.index({ number: 1 }, { unique: true });
  expect(shardingProblems(connectionWith(schema), key)).toEqual([
    'orders: the unique index {"number":1} does not begin with the shard key',
  ]);
});

test("reports a shard key without an index or a field", () => {
  const schema = new Schema({ number: Number }, { collection: "orders" });
  expect(shardingProblems(connectionWith(schema), key)).toEqual([
    "orders: no index begins with the shard key",
    "orders: the shard key's field project_client_id is not in its documents",
  ]);
});

test("returns one command for each sharded collection, and one for each client in a zone", () => {
  const sharding = {
    orders: { key: { project_client_id: 1 } },
    order_heads: { key: { _id: 1 } },
    entries: { key: { campaign_id: 1 } },
    leases: { unsharded: "few" },
  } as const;
  expect(shardCommands("shop", sharding, [{ zone: "eu", clientId: "c1" }])).toEqual([
    { shardCollection: "shop.orders", key: { project_client_id: 1 } },
    {
      updateZoneKeyRange: "shop.orders",
      min: { project_client_id: "c1" },
      max: { project_client_id: "c1\u0000" },
      zone: "eu",
    },
    { shardCollection: "shop.order_heads", key: { _id: 1 } },
    { updateZoneKeyRange: "shop.order_heads", min: { _id: "c1" }, max: { _id: "c1\u0000" }, zone: "eu" },
    { shardCollection: "shop.entries", key: { campaign_id: 1 } },
  ]);
});
