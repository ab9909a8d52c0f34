import type { IncomingMessage } from "node:http";

/** The part of Express's response that sets a cookie. */
type CookieResponse = {
  cookie(name: string, value: string, options: CookieOptions): unknown;
};

type CookieOptions = {
  readonly path: string;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: "lax";
  readonly encode: (value: string) => string;
  readonly maxAge?: number;
};

/** Cookies of a website. */
export type Cookies<Name extends string> = {
  /** Returns the value of a cookie; null if it is missing or malformed, or if there are two of this name. */
  read(request: Pick<IncomingMessage, "headers">, name: Name): string | null;
  /** @param seconds how long the browser keeps the cookie; by default until the browser is closed */
  set(response: CookieResponse, name: Name, value: string, seconds?: number): void;
  clear(response: CookieResponse, name: Name): void;
};

/**
 * Creates the cookies of a website. Scripts cannot read them, and browsers do not send them with requests from other
 * sites. Over https their names have the prefix that makes browsers bind them to this host (RFC 6265bis, 4.1.3).
 * @param baseUrl address of the website, which decides between https and plain http on loopback
 * @param forms the form of each cookie's value, which also bounds its length; only characters that need no encoding are
 * allowed (RFC 6265, 4.1.1)
 */
export function createCookies<Name extends string>(
  baseUrl: string,
  forms: Readonly<Record<Name, RegExp>>,
): Cookies<Name> {
  const isSecure = baseUrl.startsWith("https:");
  const fullName = (name: Name): string => (isSecure ? `__Host-${name}` : name);
  const options = { path: "/", httpOnly: true, secure: isSecure, sameSite: "lax", encode: String } as const;
  return {
    read: (request, name) => {
      const value = readCookie(request.headers.cookie, fullName(name));
      return value !== null && forms[name].test(value) ? value : null;
    },
    set: (response, name, value, seconds) => {
      const lifetime = seconds === undefined ? options : { ...options, maxAge: seconds * 1000 };
      response.cookie(fullName(name), value, lifetime);
    },
    clear: (response, name) => {
      response.cookie(fullName(name), "", { ...options, maxAge: 0 });
    },
  };
}

/**
 * Returns the value of a cookie in a Cookie header (RFC 6265, 4.2) without decoding it. Returns null if the cookie is
 * missing or appears twice, because another host of the domain can set a cookie of this name that the browser sends
 * first. The package `cookie` would return the first one (docs/decisions/0140-own-parsers.md).
 */
export function readCookie(header: string | undefined, name: string): string | null {
  const [value, second] = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return second === undefined ? (value ?? null) : null;
}
