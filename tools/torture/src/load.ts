import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { acknowledge, type History, type HistoryEntry, type HistoryKind } from "./history.ts";
import { type LoadClient, templateKey } from "./platform.ts";

/** What a project backend does all day, at a steady pace, with the retries the contract asks of it. */
export type Load = {
  /** Requests under way or waiting for their next try. */
  open(): number;
  /** Asks for nothing new; resolves when everything asked for has its answer. Rejects when that takes longer than `timeoutMs`. */
  finish(timeoutMs: number): Promise<void>;
};

type LoadOptions = {
  readonly gateways: readonly string[];
  readonly clients: readonly LoadClient[];
  readonly history: History;
  readonly eventsPerSecond: number;
  readonly auditsPerSecond: number;
  readonly deliveriesPerSecond: number;
};

/** More than this open at once, and the pace waits: the load tests the platform, not this machine's memory. */
const openMax = 20_000;
const tickMs = 20;

/** Starts the load. */
export function startLoad(options: LoadOptions): Load {
  const { clients, history } = options;
  const agent = new Agent({ connections: 128, headersTimeout: 20_000, bodyTimeout: 20_000 });
  let isStopping = false;
  let open = 0;
  let turn = 0;

  const send = async (
    kind: HistoryKind,
    path: string,
    bodyOf: (key: string, client: LoadClient) => unknown,
  ): Promise<void> => {
    const client = clients[turn % clients.length];
    turn += 1;
    if (client === undefined) return;
    const key = randomUUID();
    const entry = history.begin(kind, client.id, key);
    const body = JSON.stringify(bodyOf(key, client));
    open += 1;
    for (let gateway = turn; entry.id === null && entry.refusal === null; gateway += 1) {
      await attempt(agent, `${options.gateways[gateway % options.gateways.length]}/api/v1${path}`, client, entry, body);
    }
    open -= 1;
  };

  const event = (key: string) => ({ type: "load.happened", schema_version: 1, data: { key } });
  const audit = (key: string) => ({
    actor_id: "load",
    action: "load.done",
    resource_type: "load",
    resource_id: key,
    outcome: "succeeded",
  });
  const intent = (key: string, client: LoadClient) => ({
    sender_profile_id: client.senderProfileId,
    template_key: templateKey,
    locale: "en",
    endpoint_id: client.endpointId,
    variables: { key },
  });
  const streams = [
    pace(options.eventsPerSecond, () => void send("event", "/domain-events", event)),
    pace(options.auditsPerSecond, () => void send("audit", "/project-audits", audit)),
    pace(options.deliveriesPerSecond, () => void send("delivery", "/notification-intents", intent)),
  ];
  const timer = setInterval(() => {
    if (isStopping || open > openMax) return;
    for (const stream of streams) stream();
  }, tickMs);

  return {
    open: () => open,
    finish: async (timeoutMs) => {
      isStopping = true;
      clearInterval(timer);
      const until = Date.now() + timeoutMs;
      while (open > 0 && Date.now() < until) await delay(100);
      await agent.close();
      if (open > 0) throw new Error(`${open} requests had no final answer within ${timeoutMs / 1000} s`);
    },
  };
}

/** Begins as many as are due by now. */
function pace(perSecond: number, begin: () => void): () => void {
  let lastMs = performance.now();
  let due = 0;
  return () => {
    const now = performance.now();
    // After a stall the missed part is not made up for: an open-loop burst would be a load of its own.
    due += Math.min(now - lastMs, 200) * (perSecond / 1000);
    lastMs = now;
    for (; due >= 1; due -= 1) begin();
  };
}

/** One try. A broken connection or a retryable answer is waited out; everything else settles the entry. */
async function attempt(
  agent: Agent,
  url: string,
  client: LoadClient,
  entry: HistoryEntry,
  body: string,
): Promise<void> {
  entry.attempts += 1;
  try {
    const response = await request(url, {
      dispatcher: agent,
      method: "POST",
      headers: {
        authorization: `Bearer ${client.credential}`,
        "idempotency-key": entry.key,
        "content-type": "application/json",
      },
      body,
    });
    const json = (await response.body.json()) as {
      data?: Record<string, string>;
      error?: { retryable: boolean; code: string };
    };
    const id = json.data?.delivery_id ?? json.data?.id;
    if (id !== undefined) {
      acknowledge(entry, id);
      return;
    }
    if (json.error?.retryable !== true) {
      entry.refusal = `${response.statusCode} ${json.error?.code}`;
      return;
    }
  } catch {
    // The connection broke: nobody knows what became of the request, so it is sent again with the same key.
  }
  await delay(Math.min(2_000, 50 * 2 ** Math.min(entry.attempts, 6)) * (0.5 + Math.random()));
}
