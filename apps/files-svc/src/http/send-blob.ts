import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { ServiceError } from "@platform/kit/rpc/errors";
import { sendBytes } from "@platform/kit/web/http";
import type { BlobKey } from "../domain/blob-key.ts";
import { readByteRange } from "../domain/byte-range.ts";
import { evaluateConditions, rangeApplies, type Validators } from "../domain/conditions.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";

/** A stored representation, with the headers that are always sent with it. */
export type Representation = {
  readonly key: BlobKey;
  readonly sizeBytes: number;
  readonly validators: Validators;
  readonly headers: OutgoingHttpHeaders;
};

/**
 * Responds to GET or HEAD for stored bytes as RFC 9110 requires: it evaluates the preconditions first, and then
 * Range. The blob is opened before the first header is sent, so that a missing blob causes an error response and not
 * a truncated download. If the reader disconnects, reading stops immediately.
 * @throws ServiceError range_not_satisfiable
 */
export async function sendBlob(
  request: IncomingMessage,
  response: ServerResponse,
  blobs: BlobStore,
  { key, sizeBytes, validators, headers }: Representation,
): Promise<void> {
  const common: OutgoingHttpHeaders = {
    ...headers,
    etag: validators.etag,
    "last-modified": validators.lastModified.toUTCString(),
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  };
  const condition = evaluateConditions(request.headers, validators);
  if (condition !== "proceed") {
    const { "content-type": _type, "content-disposition": _disposition, ...bare } = common;
    response.writeHead(condition, bare).end();
    return;
  }
  // Range is defined for GET only (RFC 9110 section 14.2).
  const isRangeRequest = request.method === "GET" && rangeApplies(request.headers, validators);
  const range = isRangeRequest ? readByteRange(request.headers.range, sizeBytes) : null;
  if (range === "unsatisfiable") {
    response.setHeader("content-range", `bytes */${sizeBytes}`);
    throw new ServiceError("range_not_satisfiable", "The requested range is outside the file.", {
      details: { size_bytes: sizeBytes },
    });
  }
  const status = range === null ? 200 : 206;
  const length = range === null ? sizeBytes : range.end - range.start + 1;
  const withLength: OutgoingHttpHeaders = {
    ...common,
    "content-length": length,
    ...(range === null ? {} : { "content-range": `bytes ${range.start}-${range.end}/${sizeBytes}` }),
  };
  if (request.method === "HEAD" || length === 0) {
    response.writeHead(status, withLength).end();
    return;
  }
  const bytes = await blobs.read(key, range);
  response.writeHead(status, withLength);
  sendBytes(bytes, response);
}
