import { acceptedLanguages } from "@platform/kit/web/http";
import type { Request, RequestHandler } from "express";
import { type Language, languageOf, languages, matchingLanguage } from "../domain/page-language.ts";
import type { HostedCookies } from "./cookies.ts";
import { queryParameter } from "./inputs.ts";

const keptSeconds = 30 * 24 * 60 * 60;

/**
 * Reads `?language=` from the form at the bottom of every page, stores the choice in a cookie, and shows the page again
 * without the parameter.
 */
export function chooseLanguage(cookies: HostedCookies): RequestHandler {
  return (request, response, next) => {
    const chosen = request.method === "GET" ? known(queryParameter(request, "language")) : null;
    if (chosen === null) return next();
    cookies.set(response, "platform_language", chosen, keptSeconds);
    // Redirects only to a path of this site, so that the redirect cannot lead to another host.
    response.redirect(303, `${request.baseUrl}${request.path}`);
  };
}

/**
 * The language that the person chose in this browser, otherwise that of a transaction or an email, otherwise the
 * browser's own.
 */
export function pageLanguage(cookies: HostedCookies, request: Request, locale: string | null): Language {
  const chosen = known(cookies.read(request, "platform_language") ?? "");
  if (chosen !== null) return chosen;
  if (locale !== null) return languageOf(locale);
  const accepted = acceptedLanguages(request.get("accept-language")).map(matchingLanguage);
  return accepted.find((language) => language !== null) ?? languages[0];
}

const known = (name: string): Language | null => languages.find((language) => language === name) ?? null;
