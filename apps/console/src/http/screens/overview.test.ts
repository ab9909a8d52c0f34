import { expect, it } from "vitest";
import { createRenderCache } from "../render-cache.ts";
import type { Visit } from "../visit.ts";
import { overview } from "./overview.ts";

/** Returns the calls that the overview sends before any of them has a response. */
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

it("queries every service concurrently, so that the overview takes as long as its slowest call", async () => {
  const calls = await callsBeforeAnAnswer(["a", "b"]);
  expect(calls).toEqual(
    expect.arrayContaining([
      "health",
      "FindProjectClients",
      "ListReachedQuotas",
      "ListProjectCredentials",
      "ListUsage identity",
      "alerts",
      "answers",
      "durations",
      "queue ages",
      "ListDeliveries",
      "ListFileObjects",
    ]),
  );
});

it("sends the same number of concurrent queries for any number of Project Clients", async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `client-${index}`);
  const calls = await callsBeforeAnAnswer(ids(1_000));
  expect(calls).toEqual(await callsBeforeAnAnswer(ids(1)));
  expect(calls.filter((name) => /client-/.test(name))).toEqual([]);
});
