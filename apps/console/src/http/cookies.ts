import type { Request, Response } from "express";

/** The console's cookies. Over https their names carry the prefix that makes browsers hold them to this host (RFC 6265bis §4.1.3). */
export type ConsoleCookies = ReturnType<typeof createCookies>;

type CookieName = "console" | "console_sign_in";

/** @param baseUrl decides between https and plain http on loopback */
export function createCookies(baseUrl: string) {
  const isSecure = baseUrl.startsWith("https:");
  const fullName = (name: CookieName): string => (isSecure ? `__Host-${name}` : name);
  const options = { path: "/", httpOnly: true, secure: isSecure, sameSite: "lax" } as const;
  return {
    /** Its value; null when there is none, or when there are two of the name, for then one is somebody else's. */
    read: (request: Request, name: CookieName): string | null => {
      const start = `${fullName(name)}=`;
      const values = (request.headers.cookie ?? "")
        .split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(start))
        .map((pair) => pair.slice(start.length));
      const [value] = values;
      return values.length === 1 && /^[0-9a-f]{64}$/.test(value ?? "") ? (value ?? null) : null;
    },
    /** Kept until the browser is closed; the server decides when it ends. */
    set: (response: Response, name: CookieName, value: string): void =>
      void response.cookie(fullName(name), value, options),
    clear: (response: Response, name: CookieName): void =>
      void response.cookie(fullName(name), "", { ...options, maxAge: 0 }),
  };
}
