import type { ServerResponse } from "node:http";
import { encodeErrorDetail } from "../rpc/error-detail.ts";
import { answeredFor } from "../store/store-failure.ts";

/**
 * Header in which a service's HTTP port reports a failure to the gateway. The gateway renders the error response and
 * removes the header.
 */
export const errorHeader = "x-platform-error";

/**
 * Responds to a proxied request with a failure, which the gateway renders as an error response with the right status. A
 * failure of the store becomes dependency_unavailable. Any other error that is not a ServiceError becomes
 * internal_error, and the caller logs it.
 */
export function sendServiceError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, {
    [errorHeader]: Buffer.from(encodeErrorDetail(answeredFor(error))).toString("base64"),
    "content-length": "0",
  });
  response.end();
}
