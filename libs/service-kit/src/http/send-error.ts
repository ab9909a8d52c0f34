import type { ServerResponse } from "node:http";
import { isServiceError, ServiceError } from "../errors/service-error.ts";
import { encodeErrorDetail } from "../grpc/error-detail.ts";

/** Header by which a service's HTTP port reports a failure to the gateway, which renders the envelope and removes the header. */
export const errorHeader = "x-platform-error";

/**
 * Answers a proxied request with a failure: the gateway turns it into the error envelope with the right status. Anything that is not a
 * ServiceError is answered as internal_error; the caller of this function logs it.
 */
export function sendServiceError(response: ServerResponse, error: unknown): void {
  const known = isServiceError(error) ? error : new ServiceError("internal_error", "Something failed on our side.");
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(500, {
    [errorHeader]: Buffer.from(encodeErrorDetail(known)).toString("base64"),
    "content-length": "0",
  });
  response.end();
}
