import { constantTimeEqual, deriveToken } from "@platform/kit/process/secrets";
import type { Request } from "express";
import { formField } from "./inputs.ts";
import { PageProblem } from "./page-problem.ts";

/**
 * The token of every form. It is derived from the browser's own secret, so that no other site knows it and it does not
 * have to be stored.
 */
export function formToken(serviceKey: Uint8Array, browserSecret: string): string {
  return deriveToken(serviceKey, "hosted-pages.form-token", browserSecret);
}

/**
 * Throws unless one of our pages sent the form in this browser. The token decides this. Sec-Fetch-Site is checked as
 * well if the browser sends it. Origin is not checked, because under `Referrer-Policy: no-referrer` browsers send
 * `null` even for our own forms.
 */
export function requireOwnForm(request: Request, expected: string): void {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") throw new PageProblem("form_expired", 403);
  if (!constantTimeEqual(formField(request, "form_token"), expected)) throw new PageProblem("form_expired", 403);
}
