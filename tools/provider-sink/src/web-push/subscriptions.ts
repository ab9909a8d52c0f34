import { createECDH, type ECDH, randomBytes, randomUUID } from "node:crypto";
import { Queue } from "../store/queue.ts";

const subscriptionsMax = 100_000;

/** A subscription as the JSON of a browser's `PushManager.subscribe`. */
export type PushSubscriptionJson = {
  endpoint: string;
  expirationTime: null;
  keys: { p256dh: string; auth: string };
};

/** The browser's side of a subscription: the keys that are needed to read the messages. */
export type Subscription = {
  endpoint: string;
  ecdh: ECDH;
  auth: Buffer;
  /** The uncompressed VAPID key to which the subscription is restricted (RFC 8292 §4), as base64url; absent if it is not restricted. */
  applicationServerKey: string | null;
};

/** The subscriptions of the emulated browser. Removed subscriptions are remembered, because a push to one gets 410, and a push to an unknown one gets 404. */
export class Subscriptions {
  readonly #endpointBase: string;
  readonly #known = new Map<string, Subscription | "gone">();
  readonly #order = new Queue<string>();

  constructor(endpointBase: string) {
    this.#endpointBase = endpointBase;
  }

  create(applicationServerKey: string | null): PushSubscriptionJson {
    const id = randomUUID();
    const ecdh = createECDH("prime256v1");
    const p256dh = ecdh.generateKeys("base64url");
    const auth = randomBytes(16);
    const endpoint = `${this.#endpointBase}/${id}`;
    this.#known.set(id, { endpoint, ecdh, auth, applicationServerKey });
    this.#order.push(id);
    const oldest = this.#order.size > subscriptionsMax ? this.#order.shift() : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    return { endpoint, expirationTime: null, keys: { p256dh, auth: auth.toString("base64url") } };
  }

  find(id: string): Subscription | "gone" | undefined {
    return this.#known.get(id);
  }

  /** Removes a subscription, as if the user had withdrawn the permission. True if there was such a subscription. */
  remove(id: string): boolean {
    const found = this.#known.get(id);
    if (found === undefined || found === "gone") return false;
    this.#known.set(id, "gone");
    return true;
  }

  endpointOf(id: string): string {
    return `${this.#endpointBase}/${id}`;
  }
}
