import type { Home } from "../home.ts";

export type StoredSession = {
  /** Address of the identity-svc that opened the session. The session is sent to no other address. */
  readonly identity: string;
  readonly session_token: string;
};

const fileOf = (context: string | null): string => `sessions/${context ?? "default"}.json`;

/** Reads the session of a context. Returns null if nobody is signed in there. */
export function readSession(home: Home, context: string | null, identity: string): StoredSession | null {
  const text = home.read(fileOf(context));
  if (text === null) return null;
  const stored = JSON.parse(text) as Partial<StoredSession> | null;
  if (stored?.identity !== identity || typeof stored.session_token !== "string") return null;
  return { identity, session_token: stored.session_token };
}

export function writeSession(home: Home, context: string | null, session: StoredSession): void {
  home.write(fileOf(context), JSON.stringify(session));
}

export function removeSession(home: Home, context: string | null): void {
  home.remove(fileOf(context));
}
