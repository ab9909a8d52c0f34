import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const lifetimeSeconds = 3599;

/**
 * Access tokens of the OAuth endpoint. A token contains its own expiry with a MAC of this process, so nothing is stored
 * per token and a benchmark can fetch any number of them.
 */
export class AccessTokens {
  readonly #key = randomBytes(32);

  /** A token as Google's endpoint hands out, with its lifetime in seconds. */
  issue(nowMs = Date.now()): { accessToken: string; expiresIn: number } {
    const payload = Buffer.from(
      JSON.stringify({ exp: Math.floor(nowMs / 1000) + lifetimeSeconds, nonce: randomBytes(9).toString("base64url") }),
    ).toString("base64url");
    return { accessToken: `ya29.${payload}.${this.#mac(payload).toString("base64url")}`, expiresIn: lifetimeSeconds };
  }

  /** The expiry of a token is a time of the wall clock. */
  check(accessToken: string, nowMs = Date.now()): "valid" | "expired" | "unknown" {
    const [prefix, payload = "", mac = ""] = accessToken.split(".");
    const given = Buffer.from(mac, "base64url");
    const expected = this.#mac(payload);
    if (prefix !== "ya29" || given.length !== expected.length || !timingSafeEqual(given, expected)) return "unknown";
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return exp * 1000 > nowMs ? "valid" : "expired";
  }

  #mac(payload: string): Buffer {
    return createHmac("sha256", this.#key).update(payload).digest();
  }
}
