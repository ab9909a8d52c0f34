import { comparePersonalData, type PersonalData, platformCollections } from "@platform/test-kit/personal-data";
import { expect, test } from "vitest";
import { storage } from "./storage.ts";

// Neither campaigns nor impressions identify a person: no network address, device or cookie is stored.
const collections: PersonalData = {
  operator_actions: platformCollections.operator_actions,
  put_off_work: platformCollections.put_off_work,
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

test("declares for every stored path whether it may name a person, and what erasure does with it", () => {
  expect(comparePersonalData(storage, collections)).toEqual({ unlisted: [], unknown: [] });
});
