import { readCookie } from "@platform/kit/web/http";
import type { Request, Response } from "express";

/** The console's cookies. Over https their names carry the prefix that makes browsers hold them to this host (RFC 6265bis §4.1.3). */
export type ConsoleCookies = ReturnType<typeof createCookies>;

/** The form of each cookie's value; anything else is not read. */
const forms = {
  /** A session's id. */
  console: /^[0-9a-f]{64}$/,
  /** An encrypted sign-in that is in progress. */
  console_sign_in: /^[0-9a-f]{8}\.[A-Za-z0-9+/]{1,2036}={0,2}$/,
  /** Ids of the projects used last, for the switcher. */
  console_projects: /^[0-9a-f-]{36}(?:\.[0-9a-f-]{36}){0,4}$/,
} as const;

type CookieName = keyof typeof forms;

/** @param baseUrl decides between https and plain http on loopback */
export function createCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith("https:");
  const fullName = (name: CookieName): string => (isSecure ? `__Host-${name}` : name);
  // All values consist of characters that a cookie may contain, so none is encoded.
  const options = { path: "/", httpOnly: true, secure: isSecure, sameSite: "lax", encode: String } as const;
  return {
    /** Returns the value. Returns null if there is none, or if there are two cookies with the name, because one of them was set by somebody else. */
    read: (request: Request, name: CookieName): string | null => {
      const value = readCookie(request.headers.cookie, fullName(name));
      return value !== null && forms[name].test(value) ? value : null;
    },
    /** @param seconds how long the browser keeps it; until it is closed when absent, and the server decides when it ends */
    set: (response: Response, name: CookieName, value: string, seconds?: number): void =>
      void response.cookie(fullName(name), value, {
        ...options,
        ...(seconds === undefined ? {} : { maxAge: seconds * 1000 }),
      }),
    clear: (response: Response, name: CookieName): void =>
      void response.cookie(fullName(name), "", { ...options, maxAge: 0 }),
  };
}
