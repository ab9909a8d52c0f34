import { hkdfSync } from "node:crypto";
import { constantTimeEqual, deriveToken, hashToken, newToken, open, seal } from "@platform/kit/process/secrets";
import type { RoleName } from "@platform/kit/rpc/client";
import type { RedisConnection } from "@platform/quota/connect-redis";

/** A session of an operator at the console. */
export type Session = {
  readonly subject: string;
  readonly name: string;
  readonly roles: readonly RoleName[];
  /** Token of the operator session at identity-svc, with which assertions are requested. */
  readonly operatorToken: string;
  /** ID token that the provider receives at sign-out. */
  readonly idToken: string;
  /** Token in the hidden field `csrf` of every form of the session. */
  readonly csrf: string;
  readonly endsAtMs: number;
  /**
   * Time at which the person authenticated, in epoch milliseconds. Sessions of the previous version do not contain it.
   */
  readonly signedInAtMs?: number;
  /**
   * The provider at which the person signed in. Sessions of the previous version do not contain it, because that
   * version knew only the provider of operators.
   */
  readonly provider?: "operators" | "members";
};

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Matches a form's token: `<milliseconds, base 36>.<64 hex>.<64 hex>`. */
const formToken = /^([0-9a-z]{1,11}\.[0-9a-f]{64})\.([0-9a-f]{64})$/;

/**
 * Stores sessions in Redis. Only the browser knows the id of its session: the key in Redis is a hash of the id, and the
 * session is encrypted with a key that is derived from the id. If Redis loses its data, everyone is signed out. All consoles
 * share the sessions, so the end of a session and the age of a form are measured by the wall clock.
 */
export function createSessionStore(redis: RedisConnection, idleMs: number, now: () => number = Date.now) {
  const keyOf = (kind: string, id: string): string => `console:${kind}:${hashToken(id)}`;
  const keyring = (id: string) => ({
    current: new Uint8Array(hkdfSync("sha256", id, "", "console session", 32)),
    previous: [],
  });
  const put = async (kind: string, id: string, value: object, ms: number): Promise<void> => {
    await redis.set(keyOf(kind, id), seal(keyring(id), kind, JSON.stringify(value)), "PX", Math.ceil(ms));
  };
  const read = <T>(kind: string, id: string, sealed: string | null): T | null =>
    sealed === null ? null : (JSON.parse(open(keyring(id), kind, sealed)) as T);
  /** Returns how long a session may still be idle, which is limited by its absolute end. */
  const leftMs = (session: Session): number => Math.min(idleMs, session.endsAtMs - now());

  const signatureOf = (id: string, issued: string): string => deriveToken(Buffer.from(id), "console form", issued);
  const isForm = (id: string, token: string): boolean => {
    const [, issued = "", signature = ""] = formToken.exec(token) ?? [];
    const ageMs = now() - Number.parseInt(issued, 36);
    return constantTimeEqual(signature, signatureOf(id, issued)) && ageMs >= 0 && ageMs < idleMs;
  };

  return {
    /** Stores a session under a new id, and returns the id. */
    open: async (session: Session): Promise<string> => {
      const id = newToken();
      await put("session", id, session, leftMs(session));
      return id;
    },
    /** Returns a session by its id and restarts its idle time. Returns null if there is none. */
    find: async (id: string): Promise<Session | null> => {
      const session = read<Session>("session", id, await redis.get(keyOf("session", id)));
      if (session === null || leftMs(session) <= 0) return null;
      await redis.pexpire(keyOf("session", id), Math.ceil(leftMs(session)));
      return session;
    },
    /** Returns whether the session is open, without restarting its idle time. */
    isOpen: async (id: string): Promise<boolean> => (await redis.exists(keyOf("session", id))) === 1,
    end: async (id: string): Promise<void> => {
      await redis.del(keyOf("session", id), keyOf("notice", id));
    },
    /** Stores a text that the next page of the session shows once. */
    leaveNotice: (id: string, text: string): Promise<void> => put("notice", id, { text }, 60_000),
    takeNotice: async (id: string): Promise<string | null> =>
      read<{ text: string }>("notice", id, await redis.getdel(keyOf("notice", id)))?.text ?? null,
    /**
     * Creates a token for one form of the session. The token is signed with the session's id and not stored, so that
     * opening a form writes nothing.
     */
    openForm: (id: string): string => {
      const issued = `${now().toString(36)}.${newToken()}`;
      return `${issued}.${signatureOf(id, issued)}`;
    },
    /** Returns whether the token was issued to this session within the last idle time. */
    isForm,
    /**
     * Consumes a token. Returns true only the first time, so that the action of a form is executed at most once, even
     * if the form is sent several times.
     */
    takeForm: async (id: string, token: string): Promise<boolean> =>
      isForm(id, token) && (await redis.set(keyOf("form", `${id}:${token}`), "used", "PX", idleMs, "NX")) === "OK",
  };
}
