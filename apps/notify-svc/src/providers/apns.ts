import { once } from "node:events";
import { type ClientHttp2Session, connect, constants } from "node:http2";
import { defined } from "@platform/kit/process/fields";
import type { Outcome } from "../domain/delivery.ts";
import { apnsPayload } from "../domain/push-payloads.ts";
import type { ApnsConfig } from "../domain/sender-profile.ts";
import { type ApnsToken, createApnsTokens } from "./apns-token.ts";
import { NotBegun } from "./ask-first.ts";
import { type HttpAnswer, jsonObject, noAnswer, retryOutcome, staleTokenOutcome } from "./http-answer.ts";
import { type Sender, type SendRequest, verificationData } from "./sender.ts";

const hosts = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
} as const;

const bodyBytesMax = 64 * 1024;
/** Interval of pings, in milliseconds. They keep an idle connection open, because APNs closes silent ones. */
const pingMs = 60_000;

/**
 * A connection, and a promise that resolves when it is established. All waiting requests share the promise, because
 * each call of `once` adds listeners to the session.
 */
type Connection = { readonly session: ClientHttp2Session; readonly isMade: Promise<unknown> };

type ApnsOptions = {
  /**
   * Address that is used instead of Apple's hosts. With `http://…` HTTP/2 is used in clear text with prior knowledge,
   * with `https://…` as at Apple.
   */
  readonly baseUrl: string | null;
  readonly answerMs: number;
  /** PEM certificates that are trusted in addition to the system's. */
  readonly ca?: string;
};

/**
 * Sends through APNs over HTTP/2
 * (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
 */
export function createApnsSender(options: ApnsOptions): Sender<ApnsConfig> {
  const tokens = createApnsTokens();
  const connections = new Map<string, Connection>();

  /**
   * Returns the profile's connection. A connection that is closing accepts no requests, so the next request opens
   * another.
   */
  const connectionOf = (profileId: string, config: ApnsConfig): Connection => {
    const known = connections.get(profileId);
    if (known !== undefined && !known.session.closed && !known.session.destroyed) return known;
    const session = connect(options.baseUrl ?? hosts[config.environment], defined({ ca: options.ca }));
    const forget = (): void => {
      clearInterval(pings);
      if (connections.get(profileId) === connection) connections.delete(profileId);
    };
    const pings = setInterval(() => {
      if (!session.destroyed) session.ping((error) => error !== null && session.destroy());
    }, pingMs);
    pings.unref();
    // Each request handles its own errors. This listener prevents an unhandled error event, which would end the
    // process.
    session.on("error", forget);
    session.on("goaway", forget);
    session.on("close", forget);
    session.unref();
    const connection = { session, isMade: once(session, "connect") };
    // A failure to connect is handled by the waiting messages. Without them, it must not become an unhandled
    // rejection.
    connection.isMade.catch(() => {});
    connections.set(profileId, connection);
    return connection;
  };

  return {
    send: async (profileId, config, request, signal) => {
      const attempt = async (token: ApnsToken): Promise<HttpAnswer> => {
        const signed = await token;
        const session = await connected(connectionOf(profileId, config), signal);
        if (!request.mayBegin()) throw new NotBegun("the lease is over");
        return exchange(session, signed, config, request, { signal, answerMs: options.answerMs });
      };
      try {
        const token = tokens.get(profileId, config);
        const answer = await attempt(token);
        const renewed = isTokenRefused(answer) ? tokens.renew(profileId, config, token) : null;
        const last = renewed === null ? answer : await attempt(renewed);
        const outcome = apnsOutcome(last);
        return outcome.kind === "rejected" && isTokenStale(last)
          ? staleTokenOutcome(outcome.errorCode, tokens.renewableInMs(profileId))
          : outcome;
      } catch (error) {
        return noAnswer(error);
      }
    },
    forget: (profileId) => {
      tokens.forget(profileId);
      connections.get(profileId)?.session.close();
      connections.delete(profileId);
    },
    close: async () => {
      for (const { session } of connections.values()) session.destroy();
      connections.clear();
    },
  };
}

/**
 * Waits until the session is connected. If the signal aborts, no request is created, because a request that was
 * created earlier would be sent once the connection is ready.
 */
async function connected({ session, isMade }: Connection, signal: AbortSignal): Promise<ClientHttp2Session> {
  if (!session.connecting) return session;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([isMade, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return session;
}

function exchange(
  session: ClientHttp2Session,
  token: string,
  config: ApnsConfig,
  request: SendRequest,
  { signal, answerMs }: { readonly signal: AbortSignal; readonly answerMs: number },
): Promise<HttpAnswer> {
  const { message } = request;
  const isBackground = message.kind === "verification";
  const push = isBackground ? null : message.content.push;
  return new Promise((resolve, reject) => {
    const stream = session.request(
      {
        [constants.HTTP2_HEADER_METHOD]: "POST",
        [constants.HTTP2_HEADER_PATH]: `/3/device/${encodeURIComponent(request.address)}`,
        authorization: `bearer ${token}`,
        "apns-id": request.deliveryId,
        "apns-collapse-id": push?.collapseKey ?? request.deliveryId,
        "apns-topic": config.topic,
        "apns-push-type": isBackground ? "background" : "alert",
        "apns-priority": isBackground || push?.priority === "normal" ? "5" : "10",
        "apns-expiration": String(Math.floor(Date.now() / 1000) + request.ttlSeconds),
        "content-type": "application/json",
      },
      { signal },
    );
    let status = 0;
    let headers: HttpAnswer["headers"] = {};
    let body = "";
    // The provider has stopped responding on this connection, so it is closed with all its requests.
    stream.setTimeout(answerMs, () => {
      session.destroy();
      reject(Object.assign(new Error("APNs did not answer in time"), { code: "ETIMEDOUT" }));
    });
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      status = received[":status"] ?? 0;
      headers = received as HttpAnswer["headers"];
    });
    stream.on("data", (text: string) => {
      if (body.length < bodyBytesMax) body += text;
    });
    stream.on("end", () => {
      if (status !== 0) resolve({ status, headers, body });
    });
    stream.on("error", reject);
    stream.on("close", () => {
      // Every stream closes, so closing alone is not a failure. The attempt failed only if the response is
      // incomplete.
      if (!stream.readableEnded || status === 0) {
        reject(Object.assign(new Error("APNs closed the connection"), { code: "ECONNRESET" }));
      }
    });
    stream.end(JSON.stringify(payloadOf(request)));
  });
}

function payloadOf({ message, deliveryId }: SendRequest): Record<string, unknown> {
  if (message.kind === "verification") {
    return { aps: { "content-available": 1 }, ...verificationData(message.token) };
  }
  return apnsPayload(message.content, deliveryId);
}

/**
 * Returns whether APNs rejected the provider token. It does so before it processes the message, so the message can be
 * sent again with another token.
 */
function isTokenRefused(answer: HttpAnswer): boolean {
  return answer.status === 403 && /^(?:Expired|Invalid)ProviderToken$/.test(String(jsonObject(answer.body).reason));
}

/** Returns whether APNs rejected the provider token only because of its age, or because a clock is wrong. */
function isTokenStale(answer: HttpAnswer): boolean {
  return answer.status === 403 && jsonObject(answer.body).reason === "ExpiredProviderToken";
}

const deadReasons = new Set(["BadDeviceToken", "DeviceTokenNotForTopic"]);

/**
 * Interprets a response of APNs
 * (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
 */
export function apnsOutcome(answer: HttpAnswer): Outcome {
  if (answer.status === 200) return { kind: "accepted" };
  const { reason } = jsonObject(answer.body);
  const name = typeof reason === "string" && /^[A-Za-z]{1,60}$/.test(reason) ? reason : null;
  const errorCode = `apns_${name === null ? answer.status : snakeCase(name)}`;
  const isDead = answer.status === 410 || (answer.status === 400 && name !== null && deadReasons.has(name));
  if (isDead) return { kind: "address_dead", errorCode };
  // TooManyRequests is about one device token. Only TooManyProviderTokenUpdates is about the sender.
  const scope = name === "TooManyProviderTokenUpdates" ? "provider" : "recipient";
  return retryOutcome(answer, errorCode, scope) ?? { kind: "rejected", errorCode };
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}
