import { comparePersonalData, type PersonalData, platformCollections } from "@platform/test-kit/personal-data";
import { expect, test } from "vitest";
import { storage } from "./storage.ts";

const version = "version preset_revision format sha256 size_bytes created_at";
const ofVersion = (prefix: string): string =>
  version
    .split(" ")
    .map((name) => `${prefix}.${name}`)
    .join(" ");
const outbox = "platform_events platform_events_due_at";
// File Objects contain no personal data: file names are not stored, and projects delete the bytes.
const collections: PersonalData = {
  operator_actions: platformCollections.operator_actions,
  put_off_work: platformCollections.put_off_work,
  retention_settings: platformCollections.retention_settings,
  file_objects: {
    notPersonal: `_id project_client_id idempotency_key idempotency_fingerprint state expected_sha256 expected_content_type
      maximum_bytes upload_token_hash grant_expires_at upload_id upload_lease_until size_bytes charged_bytes owed.id
      owed.give_back_bytes owed.delete_blob owed.due_at classification.attempts classification.next_at rejection_reason
      malware_scan.result malware_scan.signature malware_scan.scanned_at image.width image.height image.frames failure created_at
      uploaded_at classified_at deleted_at ${outbox}`,
  },
  download_grants: {
    notPersonal: `_id project_client_id file_object_id idempotency_key idempotency_fingerprint token_hash token_key_id created_at
      expires_at forget_at`,
  },
  image_presets: {
    notPersonal: "_id name format max_width max_height quality background revision created_at updated_at",
  },
  bucket_ownership: {
    notPersonal: "_id owner_id generation accepted_orphans next_sweep_at orphans stopped swept_by swept_until",
  },
  // These are keys of blobs, which contain the ids of a Project Client's File Objects.
  orphan_candidates: { notPersonal: "_id found_at seen_at is_released" },
  public_assets: {
    notPersonal: `_id project_client_id file_object_id image_preset_id taken_down_at ${ofVersion("versions")} ${outbox}`,
  },
  publications: {
    notPersonal: `_id project_client_id idempotency_key idempotency_fingerprint public_asset_id ${ofVersion("version")}`,
  },
};

test("declares for every stored path whether it may name a person, and what erasure does with it", () => {
  expect(comparePersonalData(storage, collections)).toEqual({ unlisted: [], unknown: [] });
});
