import { expect, test } from "vitest";
import { relaySubject } from "./relay-subject.ts";

const event = {
  id: "0190a5c8-0000-7000-8000-000000000001",
  project_client_id: "0190a5c8-0000-7000-8000-0000000000aa",
  type: "a..b.",
  schema_version: 1,
  data_json: "{}",
  stream_id: null,
  sequence: null,
  occurred_at: null,
  published_at: new Date(0),
  origin: "client" as const,
};

test("replaces empty parts of a type in the subject", () => {
  expect(relaySubject({ position: 1, event })).toBe(`domain-events.${event.project_client_id}.a._.b._`);
});
