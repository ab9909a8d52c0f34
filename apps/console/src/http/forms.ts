import { constantTimeEqual } from "@platform/service-kit/secrets/token";
import type { Request } from "express";
import { PageProblem } from "./page-problem.ts";

/**
 * Throws unless a form was sent from a page of this console, in this session. The token decides; what the browser says of where the form came from
 * is asked too.
 * @param origin the console's own
 */
export function requireOwnForm(request: Request, csrf: string, origin: string): void {
  const site = request.headers["sec-fetch-site"];
  const from = request.headers.origin;
  const isForeign = (site !== undefined && site !== "same-origin") || (from !== undefined && from !== origin);
  const token = (request.body as Record<string, unknown> | undefined)?.csrf;
  if (isForeign || typeof token !== "string" || !constantTimeEqual(token, csrf))
    throw new PageProblem(
      403,
      "This form has expired",
      "Nothing was done. Open the page again and send the form from there.",
    );
}
