import { silentLogger } from "@platform/kit/process/telemetry";
import { dependencyUnavailable, ServiceError } from "@platform/kit/rpc/errors";
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
    silentLogger(),
  );
  const untold = await publish([
    entry(platformFact({ resource: "file_object", id: "f", state: "available" }, at), noticeFact(ended, at, true)),
    entry(noticeFact({ ...ended, id: "t" }, at, false)),
  ]);
  expect(untold).toEqual([]);
  expect(published).toEqual(["file_object:f:available", "subscription:s:ended"]);
  expect(told).toEqual(["subscription:s:ended", "subscription:t:ended"]);
});

it("publishes facts while contacts cannot be notified, and reports whose contacts wait (identity-svc is away)", async () => {
  const published: string[] = [];
  const publish = publishAndTell(
    async (entries) => void published.push(...entries.map(({ id }) => id)),
    async () => {
      throw dependencyUnavailable();
    },
    silentLogger(),
  );
  const waiting = { ...entry(noticeFact(ended, at, true)), id: "with contacts" };
  const others = entry(platformFact({ resource: "file_object", id: "f", state: "available" }, at));
  expect(await publish([waiting, others])).toEqual([waiting]);
  expect(published).toEqual(["with contacts", "document"]);
});

it("passes on that identity-svc rejects a notice, so that its document alone is postponed", async () => {
  const refusal = new ServiceError("contract_violation", "no");
  const publish = publishAndTell(
    async () => {},
    async () => {
      throw refusal;
    },
    silentLogger(),
  );
  await expect(publish([entry(noticeFact(ended, at, true))])).rejects.toBe(refusal);
});
