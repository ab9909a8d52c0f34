import { comparePersonalData, type PersonalData, platformCollections } from "@platform/test-kit/personal-data";
import { expect, test } from "vitest";
import { storage } from "./storage.ts";

const collections: PersonalData = {
  ...platformCollections,
  leases: { notPersonal: "_id owner until" },
  event_partitions: { notPersonal: "_id fence owner leased_until" },
  // The two ids of people are erased. The hash contains only salted commitments to them, and the salts are erased as
  // well.
  project_audits: {
    erased: "actor_id resource_id",
    sealed: "commitments",
    notPersonal: `_id project_client_id seq action resource_type outcome recorded_at previous_hash hash idempotency_key
      idempotency_fingerprint correlation_id erased pruned`,
  },
  project_audit_heads: { notPersonal: "_id seq hash exported_on exported_seq pruned_seq pruned_done_seq verification" },
  // Projects own the content of events and must not put personal data into it.
  domain_events: {
    notPersonal: `_id project_client_id type schema_version data_json stream_id sequence occurred_at published_at inserted unnumbered
      position partition relay_state origin correlation_id idempotency_key idempotency_fingerprint`,
  },
  event_log_heads: { notPersonal: "_id revision position batch fence removed_to" },
  scheduled_operations: {
    notPersonal: `_id project_client_id environment name url secret_sealed previous_secret_sealed previous_secret_until
      secret_rotated_at max_attempts status status_reason platform_events platform_events_due_at cron timezone next_due_at overlap headers_sealed header_names per_second revision created_at idempotency_key idempotency_fingerprint`,
  },
  scheduled_runs: {
    notPersonal: `_id project_client_id operation_id scheduled_for due_at state attempts attempt_count tries_made tries_left error
      claimable_at claim queued in_turn traceparent correlation_id subscription_id event_id position replay lane unsettled platform_events
      platform_events_due_at`,
  },
  event_subscriptions: {
    notPersonal: `_id project_client_id operation_id types filter order status status_reason failing_since failing_told platform_events platform_events_due_at max_attempts recorded_to replays replay_count revision held owner
      leased_until created_at`,
  },
  event_consumers: { notPersonal: "_id bound_to name secrets generation created_at revoked_at" },
  consumer_positions: { notPersonal: "_id project_client_id position sent_to streams revision" },
};

test("declares for every stored path whether it may name a person, and what erasure does with it", () => {
  expect(comparePersonalData(storage, collections)).toEqual({ unlisted: [], unknown: [] });
});
