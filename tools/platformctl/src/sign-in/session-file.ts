import { z } from "zod";
import type { Home } from "../home.ts";

const schema = z.object({
  /** The identity-svc that opened it: a session is sent nowhere else. */
  identity: z.string(),
  session_token: z.string(),
});

export type StoredSession = z.output<typeof schema>;

const fileOf = (context: string | null): string => `sessions/${context ?? "default"}.json`;

/** The session of a context, or null when nobody is signed in there. */
export function readSession(home: Home, context: string | null, identity: string): StoredSession | null {
  const text = home.read(fileOf(context));
  if (text === null) return null;
  const stored = schema.safeParse(JSON.parse(text));
  return stored.success && stored.data.identity === identity ? stored.data : null;
}

export function writeSession(home: Home, context: string | null, session: StoredSession): void {
  home.write(fileOf(context), JSON.stringify(session));
}

export function removeSession(home: Home, context: string | null): void {
  home.remove(fileOf(context));
}
