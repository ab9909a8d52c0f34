import type { Channel } from "../store/message.ts";
import type { MessageStore } from "../store/message-store.ts";
import type { FaultBook } from "./fault-book.ts";
import type { ProviderAnswer } from "./provider-answer.ts";

/** Dependencies of every listener of the sink. */
export type SinkState = { store: MessageStore; faults: FaultBook };

/** One push request, of any HTTP version. */
export type PushRequest = {
  method: string;
  /** Path without query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer;
};

/** The provider's response without a fault. */
export type PushOutcome = {
  to: string;
  answer: ProviderAnswer;
  /** Called on acceptance, for example to mark a retry key as used; not called if a fault rejects the request. */
  accept?: () => void;
  readRaw: () => string;
  readParsed: () => unknown;
};

export type Responder = { send: (answer: ProviderAnswer) => void; cut: () => void };

/**
 * Settles one push attempt. A waiting fault replaces the provider's response. The attempt is recorded when it arrives, so that a test can see a request whose
 * response is still delayed. Then the response is sent.
 */
export async function settleAttempt(
  state: SinkState,
  channel: Channel,
  request: PushRequest,
  outcome: PushOutcome,
  responder: Responder,
): Promise<void> {
  const fault = state.faults.take(channel, "send", outcome.to);
  const answer = fault?.answer?.() ?? outcome.answer;
  const accepted = fault?.drop !== "before" && !fault?.answer && outcome.answer.status < 300;
  if (accepted) outcome.accept?.();
  state.store.add({
    channel,
    to: outcome.to,
    answeredStatus: fault?.drop === "before" ? null : answer.status,
    readHeaders: () => request.headers,
    raw: request.body,
    readRaw: outcome.readRaw,
    readParsed: outcome.readParsed,
  });
  await fault?.delay();
  if (fault?.drop) responder.cut();
  else responder.send(answer);
}

/** Returns the readers for the usual case, a body of JSON text. */
export function jsonReaders(body: Buffer): Pick<PushOutcome, "readRaw" | "readParsed"> {
  return { readRaw: () => body.toString("utf8"), readParsed: () => parseJson(body) };
}

/** Parses the JSON value in the bytes. Returns undefined if they contain none. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
