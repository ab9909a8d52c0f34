import { constantTimeEqual, deriveToken } from "@platform/service-kit/secrets/token";
import type { Request } from "express";
import { PageProblem } from "./page-problem.ts";

/** The token of every form: derived from the browser's own secret, so no other site knows it and none is stored. */
export function formToken(serviceKey: Uint8Array, browserSecret: string): string {
  return deriveToken(serviceKey, "hosted-pages.form-token", browserSecret);
}

/**
 * Throws unless the form was sent by one of our pages in this browser. The token decides; Sec-Fetch-Site is checked where the browser sends it.
 * Origin is not, because under `Referrer-Policy: no-referrer` browsers send `null` even for our own forms.
 */
export function requireOwnForm(request: Request, expected: string): void {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") throw new PageProblem("form_expired", 403);
  if (!constantTimeEqual(formField(request, "form_token"), expected)) throw new PageProblem("form_expired", 403);
}

/** Every field that a form of the hosted pages may have, with its maximal length in UTF-16 units. A field that is not listed here cannot be read. */
export const formFieldLengths = {
  continuation_id: 36,
  continuation_token: 64,
  form_token: 64,
  account: 36,
  // The contract's longest address, in characters of two units.
  email: 640,
  // More than a password may have, so that the page can say that it is too long.
  password: 1_024,
  // Six digits, with the spaces that copying brings along.
  code: 64,
  token: 64,
} as const;

export type FormFieldName = keyof typeof formFieldLengths;

/**
 * A field of a posted form; empty when it is missing or given twice.
 * @throws PageProblem too_large beyond the field's maximal length
 */
export function formField(request: Pick<Request, "body">, name: FormFieldName): string {
  const body: unknown = request.body;
  const value = typeof body === "object" && body !== null ? (body as Record<string, unknown>)[name] : undefined;
  if (typeof value !== "string") return "";
  if (value.length > formFieldLengths[name]) throw new PageProblem("too_large", 422);
  return value;
}
