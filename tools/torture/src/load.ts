import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { acknowledge, type History, type HistoryEntry, type HistoryKind } from "./history.ts";
import { type LoadClient, templateKey } from "./platform.ts";

/** What a project backend does all day, at a steady pace, with the retries the contract asks of it. */
export type Load = {
  /** Requests under way or waiting for their next try. */
  open(): number;
  /** What became of the load since this was last asked. */
  progress(): LoadProgress;
  /** Asks for nothing new; resolves when everything asked for has its answer. Rejects when that takes longer than `timeoutMs`. */
  finish(timeoutMs: number): Promise<void>;
};

/** Requests that have their answer, and tries that have to be made again: by status and code, or by what became of the connection. */
export type LoadProgress = { readonly settled: number; readonly again: Readonly<Record<string, number>> };

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
  let settled = 0;
  let again: Record<string, number> = {};
  const countAgain = (why: string): void => {
    again[why] = (again[why] ?? 0) + 1;
  };

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
      const url = `${options.gateways[gateway % options.gateways.length]}/api/v1${path}`;
      const why = await attempt(agent, url, client, entry, body);
      if (why === null) continue;
      countAgain(why);
      await delay(Math.min(2_000, 50 * 2 ** Math.min(entry.attempts, 6)) * (0.5 + Math.random()));
    }
    open -= 1;
    settled += 1;
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
    progress: () => {
      const progress = { settled, again };
      settled = 0;
      again = {};
      return progress;
    },
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

/** One try, which settles the entry. @returns why it has to be made again: a retryable answer, or a broken connection; else null */
async function attempt(
  agent: Agent,
  url: string,
  client: LoadClient,
  entry: HistoryEntry,
  body: string,
): Promise<string | null> {
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
      return null;
    }
    const answer = `${response.statusCode} ${json.error?.code}`;
    if (json.error?.retryable === true) return answer;
    entry.refusal = answer;
    return null;
  } catch (error) {
    // The connection broke: nobody knows what became of the request, so it is sent again with the same key.
    return (error as { code?: string }).code ?? "broken";
  }
}
