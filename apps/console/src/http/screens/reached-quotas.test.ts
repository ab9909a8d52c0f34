import type { SafeHtml } from "@platform/kit/web/http";
import { expect, it } from "vitest";
import type { Visit } from "../visit.ts";
import { quotaName, reachedQuotas } from "./reached-quotas.ts";

type Quota = { readonly resource: string; readonly clients: number; readonly projectClientIds: readonly string[] };

async function sentencesOf(quotas: readonly Quota[]): Promise<string[] | undefined> {
  const visit = {
    ask: async () => ({ quotas }),
    projectClients: async () => [
      { id: "a", name: "Acme" },
      { id: "b", name: "Initech" },
    ],
  };
  const found = await reachedQuotas(visit as unknown as Visit);
  return found?.map(({ sentence }) => (sentence as SafeHtml).text.replaceAll(/<[^>]*>/g, ""));
}

it("lists the projects that have used up a quota", async () => {
  expect(await sentencesOf([{ resource: "events", clients: 2, projectClientIds: ["a", "b"] }])).toEqual([
    "2 projects have reached their event quota: Acme, Initech.",
  ]);
  expect(await sentencesOf([{ resource: "storage_bytes", clients: 1, projectClientIds: ["a"] }])).toEqual([
    "1 project has reached its storage quota: Acme.",
  ]);
});

it("reports how many projects are not listed", async () => {
  expect(await sentencesOf([{ resource: "deliveries", clients: 1_012, projectClientIds: ["a", "b"] }])).toEqual([
    "1,012 projects have reached their delivery quota: Acme, Initech and 1,010 more.",
  ]);
});

it("returns null while identity-svc does not respond, and an empty list if no quota is used up", async () => {
  const down = { ask: () => Promise.reject(new Error("down")) } as unknown as Visit;
  expect(await reachedQuotas(down)).toBeNull();
  expect(await sentencesOf([])).toEqual([]);
});

it("derives the name of a quota from its resource", () => {
  expect(["deliveries", "events", "scheduled_invocations", "audit_retention"].map(quotaName)).toEqual([
    "delivery",
    "event",
    "scheduled invocation",
    "audit retention",
  ]);
});
