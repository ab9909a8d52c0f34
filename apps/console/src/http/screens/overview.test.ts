import { expect, it } from "vitest";
import { createRenderCache } from "../render-cache.ts";
import type { Visit } from "../visit.ts";
import { overview } from "./overview.ts";

/** The calls that the first page has made while none of them is answered. */
async function callsBeforeAnAnswer(clients: readonly string[]): Promise<string[]> {
  const calls: string[] = [];
  const unanswered = (name: string): Promise<never> => {
    calls.push(name);
    return new Promise(() => {});
  };
  const visit = {
    ask: (method: { name: string }, request: { projectClientId?: string }, options?: { service?: string }) =>
      unanswered([method.name, options?.service, request.projectClientId].filter(Boolean).join(" ")),
    projectClients: async () => clients.map((id) => ({ id, name: id })),
    health: { present: () => unanswered("health") },
    session: { roles: ["viewer"] },
    overviews: createRenderCache(0),
    alertmanager: { listFiring: () => unanswered("alerts") },
    prometheus: {
      answers: () => unanswered("answers"),
      durations: () => unanswered("durations"),
      queueAges: () => unanswered("queue ages"),
    },
  };
  void overview.views?.[0]?.show(visit as unknown as Visit);
  await new Promise((resolve) => setImmediate(resolve));
  return calls;
}

it("queries every service concurrently, so that the first page takes as long as its slowest call", async () => {
  const calls = await callsBeforeAnAnswer(["a", "b"]);
  expect(calls).toEqual(
    expect.arrayContaining([
      "health",
      "ListProjectCredentials",
      ...["identity", "events"].flatMap((service) => ["a", "b"].map((id) => `ListUsage ${service} ${id}`)),
      "alerts",
      "answers",
      "durations",
      "queue ages",
      "ListFileObjects a",
      "ListFileObjects b",
    ]),
  );
  expect(calls.filter((name) => name === "ListDeliveries")).toHaveLength(2);
});

it("asks for the use of at most 20 Project Clients", async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `client-${index}`);
  expect(await callsBeforeAnAnswer(ids(100))).toEqual(await callsBeforeAnAnswer(ids(20)));
});
