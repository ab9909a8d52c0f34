import { connectMongo } from "@platform/kit/store/schema";
import { createOperatorActionStore } from "@platform/operator-plane/operators/store";
import { startTestMongo } from "@platform/test-kit/mongo";
import { comparePersonalData, kitCollections, type PersonalData } from "@platform/test-kit/personal-data";
import { expect, test } from "vitest";
import { createAdsStore } from "../src/store/ads-store.ts";

// Neither campaigns nor impressions name a person: no address, no device, no cookie is kept.
const collections: PersonalData = {
  operator_actions: kitCollections.operator_actions,
  campaigns: {
    notPersonal: `_id name project_client_id currency cpm_minor budget_minor destination_url starts_at ends_at created_at
      audited_ordinal paused_at ended_at earlier_budgets reported_ordinal`,
  },
  campaign_reports: { notPersonal: "_id campaign_id by key impressions charged_minor refused through_ordinal" },
  campaign_refusals: { notPersonal: "_id campaign_id day counts reports" },
  impressions: {
    notPersonal: `_id campaign_id ordinal charged_minor budget_minor paid claim placement format visible_ratio_basis_points
      duration_milliseconds issued_at recorded_at`,
  },
  signing_keys: { notPersonal: "_id generation public_jwk_json sealed_private_jwk created_at revoked_at" },
  ad_servers: { notPersonal: "_id bound_to name secrets generation created_at revoked_at" },
};

test("says of every path that is stored whether it may name a person, and what erasure does with it", async () => {
  const mongo = await startTestMongo();
  const connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  createOperatorActionStore(connection);
  createAdsStore(connection);
  expect(comparePersonalData(connection, collections)).toEqual({ unlisted: [], unknown: [] });
  await connection.close();
  await mongo.close();
});
