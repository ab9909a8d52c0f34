import { importJWK, jwtVerify } from "jose";

const lifetimeSecondsMax = 24 * 60 * 60;
const uncompressedPointBytes = 65;
const verifiedMax = 1000;

/** The result of a verification: `null` if accepted, otherwise the error. "missing" means that there are no VAPID credentials at all. */
export type VapidProblem = "missing" | string | null;

/**
 * Verifies `Authorization: vapid t=…, k=…` (RFC 8292). Accepted credentials are cached until they expire, because a
 * sender signs once and then uses the same header for thousands of messages.
 */
export class VapidVerifier {
  readonly #origin: string;
  readonly #verified = new Map<string, number>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  async check(authorization: string | undefined, applicationServerKey: string | null): Promise<VapidProblem> {
    const parameters = /^vapid\s+(.+)$/i.exec(authorization ?? "")?.[1];
    if (authorization === undefined || parameters === undefined) return "missing";
    const token = /(?:^|[,\s])t=([^,\s]+)/.exec(parameters)?.[1];
    const key = /(?:^|[,\s])k=([^,\s]+)/.exec(parameters)?.[1];
    if (token === undefined || key === undefined) return "the vapid scheme needs both t and k";
    if (applicationServerKey !== null && applicationServerKey !== key) {
      return "the key is not the one the subscription is restricted to";
    }
    const expiresAtMs = this.#verified.get(`${token} ${key}`);
    // A VAPID token expires at a time of the wall clock.
    if (expiresAtMs !== undefined && expiresAtMs > Date.now()) return null;
    return this.#verify(token, key);
  }

  async #verify(token: string, key: string): Promise<string | null> {
    try {
      const { payload } = await jwtVerify(token, await importPoint(key), {
        algorithms: ["ES256"],
        audience: this.#origin,
        requiredClaims: ["exp", "aud"],
      });
      const exp = payload.exp ?? 0;
      if (exp > Date.now() / 1000 + lifetimeSecondsMax) return "exp is more than 24 hours away";
      if (payload.sub !== undefined && !/^(mailto:|https:)/.test(payload.sub))
        return "sub is neither mailto: nor https:";
      if (this.#verified.size >= verifiedMax) this.#verified.clear();
      this.#verified.set(`${token} ${key}`, exp * 1000);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : "invalid token";
    }
  }
}

async function importPoint(key: string) {
  const point = Buffer.from(key, "base64url");
  if (point.length !== uncompressedPointBytes || point[0] !== 4)
    throw new Error("k is not an uncompressed P-256 point");
  const coordinate = (start: number) => point.subarray(start, start + 32).toString("base64url");
  return importJWK({ kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) }, "ES256");
}
