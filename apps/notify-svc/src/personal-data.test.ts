import { comparePersonalData, type PersonalData, platformCollections } from "@platform/test-kit/personal-data";
import { expect, test } from "vitest";
import { storage } from "./storage.ts";

const outbox = "platform_events platform_events_due_at";
const collections: PersonalData = {
  operator_actions: platformCollections.operator_actions,
  put_off_work: platformCollections.put_off_work,
  retention_settings: platformCollections.retention_settings,
  usage_counts: platformCollections.usage_counts,
  deliveries: {
    erased: "content",
    notPersonal: `_id project_client_id kind intent_id idempotency_key idempotency_fingerprint channel template_key sender_profile_id
      endpoint_id ownership_generation purpose unsubscribe_token_hash verification_generation status lane due_at give_up_at attempts
      claim_id lease_until provider_status last_error_code attempt_log correlation_id traceparent created_at finished_at ${outbox}`,
  },
  delivery_endpoints: {
    erased:
      "address address_hash verification granted_purposes withdrawn_purposes resubscription verified_at history suppression suppressed_at",
    notPersonal: `_id project_client_id environment channel status ownership_generation last_error_code push_due_at version created_at
      updated_at ${outbox}`,
  },
  sender_profiles: {
    notPersonal: `_id project_client_id channel name default_locale verification status revision config_sealed previous_sealed
      previous_until updated_at changed_at created_at failing_since failing_told platform_events platform_events_due_at`,
  },
  catalogs: { notPersonal: "_id templates updated_at version versions" },
  // Captured messages are removed together with the endpoint, and after 7 days.
  captured_messages: {
    sealed: "content_sealed",
    erased: "to_hint",
    notPersonal: "_id project_client_id endpoint_id channel created_at",
  },
  // `by` is the operator who applied the catalog; projects do not see it.
  catalog_versions: { notPersonal: "_id project_client_id version templates applied_at by added changed removed" },
  validated_catalogs: { notPersonal: "_id digest entries validated_at" },
  // Test messages are removed within ten minutes.
  sender_profile_tests: {
    sealed: "to_sealed",
    notPersonal: "_id project_client_id sender_profile_id status detail accepted created_at",
  },
};

test("declares for every stored path whether it may name a person, and what erasure does with it", () => {
  expect(comparePersonalData(storage, collections)).toEqual({ unlisted: [], unknown: [] });
});
