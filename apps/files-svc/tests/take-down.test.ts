import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { platformLogId } from "@platform/operator-plane/platform-events";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createFilesServer } from "../src/create-files-server.ts";
import * as fixtures from "./file-fixtures.ts";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";

type OutboxFact = {
  readonly key: string;
  readonly type: string;
  readonly data_json: string;
  readonly client_id?: string;
};

let harness: FilesHarness;
let mongo: MongoClient;
let second: Awaited<ReturnType<typeof createFilesServer>>;
let other: ReturnType<typeof connectFilesClient>;
let asset: { id: string; url: string };
beforeAll(async () => {
  // There is no events-svc, so unpublished events stay in the outbox.
  harness = await startFilesHarness();
  second = await createFilesServer(readServerConfig(harness.env), { logger: silentLogger() });
  other = connectFilesClient(second);
  mongo = await MongoClient.connect(harness.mongo.uri);
});
beforeEach(async () => {
  const bytes = await fixtures.png(50, 40);
  const { fileObjectId, uploadToken } = await harness.grant(bytes, "image/png");
  await harness.put(uploadToken, bytes);
  await harness.files.completeFileObject({ fileObjectId }, harness.call());
  const preset = { name: `preset-${newId()}`, format: "png", maxWidth: 32, maxHeight: 32, quality: 90 };
  const imagePresetId = (await harness.admin.createImagePreset(preset, harness.call())).imagePreset?.id ?? "";
  asset = await harness.files.createPublicAsset({ fileObjectId, imagePresetId }, harness.call(newId()));
});
afterAll(async () => {
  await mongo.close();
  other.close();
  second.stopServing();
  await second.close();
  await harness.close();
});

const takeDown = (server: Pick<FilesHarness, "objectAdmin"> = harness) =>
  server.objectAdmin.takeDownPublicAsset({ publicAssetId: asset.id }, harness.call());
async function outbox(): Promise<OutboxFact[]> {
  const collection = mongo
    .db(harness.mongo.database)
    .collection<{ _id: string; platform_events?: OutboxFact[] }>("public_assets");
  return (await collection.findOne({ _id: asset.id }))?.platform_events ?? [];
}

describe("a Public Asset that is taken down", () => {
  it("returns 410 immediately at every replica, for GET, HEAD and conditional requests", async () => {
    for (const replica of [harness, other]) expect((await replica.get(asset.url)).status).toBe(200);
    await takeDown();
    for (const replica of [harness, other]) {
      for (const init of [{}, { method: "HEAD" }, { headers: { "if-none-match": "*" } }]) {
        const answer = await replica.get(asset.url, init);
        expect(answer.code).toBe("public_asset_taken_down");
        expect(answer.headers.get("cache-control") ?? "").not.toContain("immutable");
      }
    }
  });

  it("writes the URLs to purge to the platform's own log once, even if the take-down is repeated", async () => {
    await Promise.all([takeDown(harness), takeDown(other as FilesHarness), takeDown(harness)]);
    const facts = await outbox();
    expect(facts).toHaveLength(1);
    expect(facts[0]).toMatchObject({ type: "platform.public_asset.taken_down", client_id: platformLogId });
    expect(JSON.parse(facts[0]?.data_json ?? "{}")).toEqual({
      public_asset_id: asset.id,
      status: "taken_down",
      project_client_id: harness.clientId,
      urls: [asset.url],
    });
  });
});
