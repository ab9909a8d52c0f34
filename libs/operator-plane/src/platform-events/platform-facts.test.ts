import { expect, test } from "vitest";
import { createPlatformFacts } from "./platform-facts.ts";

const fact = { resource: "file_object", id: "f1", state: "rejected", data: { rejection_reason: "malware_detected" } };
const at = new Date(0);

test("creates no platform event for a client that has not turned them on", () => {
  const facts = createPlatformFacts();
  expect(facts.of("told", fact, at)).toBeNull();
  facts.follow({ has: (id) => id === "told", ids: () => ["told"] });
  expect(facts.of("other", fact, at)).toBeNull();
  expect(facts.of("told", fact, at)).toEqual({
    key: "file_object:f1:rejected",
    type: "platform.file_object.rejected",
    data_json: '{"file_object_id":"f1","status":"rejected","rejection_reason":"malware_detected"}',
    occurred_at: at,
  });
});

test("derives a different key each time that a state recurs", () => {
  const facts = createPlatformFacts();
  facts.follow({ has: () => true, ids: () => [] });
  expect([1, 2].map((time) => facts.of("told", { ...fact, time }, at)?.key)).toEqual([
    "file_object:f1:rejected",
    "file_object:f1:rejected:2",
  ]);
});
