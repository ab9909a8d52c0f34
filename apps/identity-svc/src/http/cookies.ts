import { readCookie } from "@platform/kit/web/http";
import type { Request, Response } from "express";

/** The cookies of the hosted pages. Over https their names carry the prefix that makes browsers hold them to this host (RFC 6265bis §4.1.3). */
export type HostedCookies = {
  read(request: Request, name: CookieName): string | null;
  set(response: Response, name: CookieName, value: string, maxAgeSeconds: number): void;
  clear(response: Response, name: CookieName): void;
};

/**
 * `platform_visitor`: the secret of forms before a sign-in; `platform_notice`: what the page after a redirect reports; `platform_erasure`: the erasure whose
 * progress a browser may see.
 */
export type CookieName =
  | ("platform_session" | "platform_continuation" | "platform_language")
  | ("platform_visitor" | "platform_notice" | "platform_erasure");

/** @param publicBaseUrl decides between https and plain http on loopback */
export function createHostedCookies(publicBaseUrl: string): HostedCookies {
  const isSecure = publicBaseUrl.startsWith("https:");
  const fullName = (name: CookieName): string => (isSecure ? `__Host-${name}` : name);
  const set = (response: Response, name: CookieName, value: string, maxAgeSeconds: number): void => {
    response.cookie(fullName(name), value, {
      maxAge: maxAgeSeconds * 1000,
      path: "/",
      httpOnly: true,
      secure: isSecure,
      sameSite: "lax",
    });
  };
  return {
    read: (request, name) => readCookie(request.headers.cookie, fullName(name)),
    set,
    clear: (response, name) => set(response, name, "", 0),
  };
}
