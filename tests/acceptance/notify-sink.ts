import { acceptanceStack } from "./stack.ts";

/** One attempt that the provider sink received. The form of `parsed` depends on the channel. */
type SinkMessage = {
  readonly to: string;
  readonly answered_status: number | null;
  readonly headers: Record<string, string>;
  readonly raw: string;
  readonly parsed: any;
};

/** Waits for `count` messages to an address at a provider. */
export async function arrived(channel: string, to: string, count = 1): Promise<SinkMessage[]> {
  const query = new URLSearchParams({ channel, to, count: String(count), wait_ms: "15000" });
  const response = await fetch(`${acceptanceStack.sinkUrl}/messages?${query}`);
  return (await response.json()) as SinkMessage[];
}

/** Makes the next messages to an address fail. */
export async function setFault(fault: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${acceptanceStack.sinkUrl}/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fault),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Creates a browser's subscription at the sink's push service, as `PushSubscription.toJSON()` gives it. */
export async function newPushSubscription(applicationServerKey: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${acceptanceStack.sinkUrl}/web-push/subscriptions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ applicationServerKey }),
  });
  return (await response.json()) as Record<string, unknown>;
}
