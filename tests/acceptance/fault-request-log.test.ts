import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OwnStack, startOwnStack } from "./own-stack.ts";

let own: OwnStack;
beforeAll(async () => {
  own = await startOwnStack();
});
afterAll(() => own?.close());

type Refused = { readonly correlationId: string; readonly isOfKilled: boolean; readonly answeredAt: number };

/** Sends invalid requests to one gateway until the signal aborts, and records the responses. */
async function sendRefusals(
  gateway: 0 | 1,
  credential: string,
  refused: Refused[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${own.gateways[gateway]}/api/v1/domain-events`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${credential}`,
        "idempotency-key": randomUUID(),
        "content-type": "application/json",
      },
      body: "{}",
    }).catch(() => null);
    const correlationId = answer?.headers.get("x-correlation-id");
    if (answer?.status === 422 && typeof correlationId === "string")
      refused.push({ correlationId, isOfKilled: gateway === 1, answeredAt: Date.now() });
    await answer?.arrayBuffer();
    await delay(10, null, { signal }).catch(() => {});
  }
}

async function loggedIds(client: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const paged: string[] = cursor === "" ? [] : ["--cursor", cursor];
    const page = await own.ctl([
      "requests",
      "list",
      "--client",
      client,
      "--code",
      "contract_violation",
      "--limit",
      "200",
      ...paged,
    ]);
    for (const item of page.items) {
      // A request that appears twice in the log would mean that a report was added twice.
      expect(ids.has(item.correlation_id)).toBe(false);
      ids.add(item.correlation_id);
    }
    cursor = page.next_cursor;
  }
  return ids;
}

test("logs every rejection once although identity-svc and a gateway are killed, except reported gaps", async () => {
  const client = await own.newClient();
  const refused: Refused[] = [];
  const stop = new AbortController();
  const senders = ([0, 1] as const).map((gateway) => sendRefusals(gateway, client.credential, refused, stop.signal));
  /** Waits until `count` more requests were rejected. */
  const further = (count: number) => {
    const wanted = refused.length + count;
    return eventually(() => refused.length >= wanted, { timeoutMs: 60_000, what: `${count} further rejections` });
  };
  await further(200);
  await own.stack.kill("identity-svc", "SIGKILL");
  // Gateways cache the credential for 5 seconds and continue to reject requests that they cannot report.
  await further(20);
  await own.stack.start("identity-svc");
  await further(200);
  await own.stack.kill("gateway-2", "SIGKILL");
  await further(100);
  stop.abort();
  await Promise.all(senders);
  await own.stack.start("gateway-2");

  const missing = async () => {
    const logged = await loggedIds(client.id);
    return refused.filter(({ correlationId }) => !logged.has(correlationId));
  };
  await eventually(async () => (await missing()).every(({ isOfKilled }) => isOfKilled), { timeoutMs: 60_000 });
  const gaps = await eventually(
    async () => {
      const { items } = await own.ctl(["requests", "gaps", "--client", client.id]);
      return items.length > 0 ? items : null;
    },
    { timeoutMs: 90_000 },
  );
  expect(gaps).toMatchObject([{ reason: "unreported", count: null }]);
  const lost = await missing();
  for (const { answeredAt } of lost) expect(answeredAt).toBeGreaterThanOrEqual(Date.parse(gaps[0].at));
});
