import type { PlatformFact } from "@platform/kit/store/documents";
import { expect, it } from "vitest";
import { noticeFact, platformFact } from "./platform-facts.ts";
import { publishAndTell } from "./tell-contacts.ts";

const at = new Date("2026-03-01T10:00:00.000Z");
const ended = { resource: "subscription", id: "s", state: "ended" };
const entry = (...facts: PlatformFact[]) => ({ id: "document", clientId: "client", facts });

it("publishes facts to the log and notifies contacts, whether platform events are on or off", async () => {
  const [published, told]: [string[], string[]] = [[], []];
  const publish = publishAndTell(
    async (entries) => void published.push(...entries.flatMap(({ facts }) => facts.map(({ key }) => key))),
    async (facts) => void told.push(...facts.map(({ fact }) => fact.key)),
  );
  await publish([
    entry(platformFact({ resource: "file_object", id: "f", state: "available" }, at), noticeFact(ended, at, true)),
    entry(noticeFact({ ...ended, id: "t" }, at, false)),
  ]);
  expect(published).toEqual(["file_object:f:available", "subscription:s:ended"]);
  expect(told).toEqual(["subscription:s:ended", "subscription:t:ended"]);
});

it("publishes nothing if contacts cannot be notified, so that both are retried", async () => {
  const published: unknown[] = [];
  const publish = publishAndTell(
    async (entries) => void published.push(...entries),
    async () => {
      throw new Error("identity-svc is away");
    },
  );
  await expect(publish([entry(noticeFact(ended, at, true))])).rejects.toThrow("identity-svc is away");
  expect(published).toEqual([]);
});
