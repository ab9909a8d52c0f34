import { setTimeout as delay } from "node:timers/promises";
import { type Agent, request } from "undici";
import type { Entry } from "./entry.ts";

/** One request to the API. */
export type ApiCall = {
  readonly method?: "POST" | "PUT";
  /** Path below /api/v1. */
  readonly path: string;
  readonly credential: string | null;
  readonly idempotencyKey?: string;
  /** JSON value; a text is sent unchanged as application/octet-stream. */
  readonly body?: object | string;
};

/** A final response: the `data` of a success, or the code of a refusal. */
export type ApiAnswer = {
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Status and code, such as "422 channel_mismatch"; null for a success. */
  readonly refusal: string | null;
};

/** Sends requests to the gateways round robin, through the fault proxies. */
export type Ask = {
  /** Repeats a request, as the contract demands, until its response is final. */
  untilAnswered(entry: Entry, call: ApiCall): Promise<ApiAnswer>;
  /** Sends a request that must not be repeated. @returns null if no final response arrived */
  once(entry: Entry, call: ApiCall): Promise<ApiAnswer | null>;
  /**
   * Attempts without a final response since the previous call, by status and code, or by the failure of the connection.
   */
  takeFailures(): Readonly<Record<string, number>>;
};

/**
 * @param onFailure called for each attempt without a final response, with its status and code or the failure of the
 * connection
 */
export function createAsk(agent: Agent, gateways: readonly string[], onFailure: (why: string) => void = () => {}): Ask {
  let next = 0;
  let failures: Record<string, number> = {};

  const once = async (entry: Entry, call: ApiCall): Promise<ApiAnswer | null> => {
    next += 1;
    const answer = await send(agent, `${gateways[next % gateways.length]}/api/v1${call.path}`, call);
    if (typeof answer !== "string") return answer;
    entry.retries += 1;
    failures[answer] = (failures[answer] ?? 0) + 1;
    onFailure(answer);
    return null;
  };

  return {
    once,
    untilAnswered: async (entry, call) => {
      for (let tries = 0; ; tries += 1) {
        const answer = await once(entry, call);
        if (answer !== null) return answer;
        await delay(Math.min(2_000, 50 * 2 ** Math.min(tries, 6)) * (0.5 + Math.random()));
      }
    },
    takeFailures: () => {
      const taken = failures;
      failures = {};
      return taken;
    },
  };
}

/**
 * @returns the final response, or the reason why there is none: a retryable refusal, or a broken connection with an
 * unknown outcome
 */
async function send(agent: Agent, url: string, call: ApiCall): Promise<ApiAnswer | string> {
  const { method = "POST", credential, idempotencyKey, body } = call;
  try {
    const response = await request(url, {
      dispatcher: agent,
      method,
      headers: {
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(body === undefined
          ? {}
          : { "content-type": typeof body === "string" ? "application/octet-stream" : "application/json" }),
      },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    const json = (await response.body.json()) as {
      data?: Record<string, unknown>;
      error?: { retryable: boolean; code: string };
    };
    if (json.data !== undefined) return { data: json.data, refusal: null };
    const refusal = `${response.statusCode} ${json.error?.code}`;
    return json.error?.retryable === true ? refusal : { data: null, refusal };
  } catch (error) {
    return (error as { code?: string }).code ?? "broken";
  }
}
