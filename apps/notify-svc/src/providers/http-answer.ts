import type { Readable } from "node:stream";
import { readBounded } from "@platform/kit/web/http";
import { retryAfterMs } from "@platform/kit/web/outbound";
import type { Outcome } from "../domain/delivery.ts";
import { NotBegun } from "./ask-first.ts";

/** An HTTP provider's response. Its body was read only up to the limit. */
export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

const bodyBytesMax = 64 * 1024;

/** Reads a body up to 64 KiB and discards the remainder. */
export async function readBody(body: Readable): Promise<string> {
  return (await readBounded(body, bodyBytesMax)).toString("utf8");
}

/** Parses a body as a JSON object; returns an empty object if it is not one. */
export function jsonObject(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * The outcome of a status that has the same meaning at every provider: 429 and 5xx are retried. Null for others.
 * @param throttled whom a 429 concerns: only this recipient, or the sender and all its messages
 */
export function retryOutcome(
  answer: HttpAnswer,
  errorCode: string,
  throttled: "recipient" | "provider",
): Outcome | null {
  const { status } = answer;
  if (status !== 429 && status !== 408 && status < 500) return null;
  return {
    kind: "retry",
    providerStatus: status === 429 ? "throttled" : "unavailable",
    errorCode,
    retryAfterMs: retryAfterMs(answer.headers["retry-after"], Date.now()),
    isProviderWide: status !== 429 || throttled === "provider",
  };
}

/**
 * Longest wait of a message whose provider token was rejected, in milliseconds. The seven waits of a message's eight
 * attempts outlast the longest pause between two renewals of a token.
 */
export const staleTokenWaitMsMax = 3 * 60 * 1000;

/**
 * The outcome of a message whose provider token was rejected as stale while no other one may be created yet. The
 * credentials themselves are valid, and the provider has not processed the message, so it is sent again later.
 * @param renewableInMs after how many milliseconds another token may be created
 */
export function staleTokenOutcome(errorCode: string, renewableInMs: number): Outcome {
  return {
    kind: "retry",
    providerStatus: "unavailable",
    errorCode,
    retryAfterMs: Math.min(renewableInMs, staleTokenWaitMsMax),
    isProviderWide: true,
  };
}

/**
 * The outcome of an attempt without a response: a timeout, a refused or lost connection, a failed TLS handshake.
 * @throws NotBegun if the attempt was not started
 */
export function noAnswer(error: unknown): Outcome {
  if (error instanceof NotBegun) throw error;
  return {
    kind: "retry",
    providerStatus: "no_answer",
    errorCode: noAnswerCode(error),
    retryAfterMs: null,
    isProviderWide: true,
  };
}

function noAnswerCode(error: unknown): string {
  const chain: { code?: unknown; name?: unknown; message?: unknown }[] = [];
  for (let each: unknown = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each);
  const words = chain.map(({ code, name, message }) => `${String(code)} ${String(name)} ${String(message)}`).join(" ");
  if (/TimeoutError|TIMEOUT|ETIMEDOUT/i.test(words)) return "provider_timeout";
  if (/OUTBOUND_REFUSED/.test(words)) return "provider_address_refused";
  if (/ERR_(SSL|TLS)|CERT_|SELF_SIGNED|UNABLE_TO_VERIFY|ETLS|EPROTO/i.test(words)) return "provider_tls_failed";
  if (/ENOTFOUND|EAI_AGAIN|EDNS/.test(words)) return "provider_not_found";
  return "provider_unreachable";
}
