import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestS3 } from "./s3.ts";

/** An operation on a store, with the properties by which a stand-in distinguishes operations. */
export type S3Request = {
  readonly method: string;
  /** Key of the object with the settings' prefix; empty for requests to the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
};

/** A response of the stand-in itself: an error with its code, or a body. */
export type S3Answer = { readonly status: number } & ({ readonly code: string } | { readonly body: string });

/** A stand-in for stores that behave differently from S3. It is a proxy in front of another store. */
export type S3StandIn = Pick<TestS3, "settings" | "env"> & {
  /** Requests so far, including rejected ones. */
  readonly requests: readonly S3Request[];
  close(): Promise<void>;
};

type Behaviour = {
  /** Responds instead of the store; null passes the request on. */
  readonly answer?: (request: S3Request) => S3Answer | null;
  /** What happens to a client that waits for 100 Continue: it never receives it, or it is rejected with 417. */
  readonly onExpect?: "silent" | "refused";
};

/** Starts a stand-in in front of a store. It listens on loopback. */
export async function startS3StandIn(s3: TestS3, { answer = () => null, onExpect }: Behaviour): Promise<S3StandIn> {
  const target = new URL(s3.settings.endpoint);
  const requests: S3Request[] = [];
  const handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(incoming.url ?? "/", target);
    const [, , ...key] = decodeURIComponent(url.pathname).split("/");
    const { method = "GET", headers } = incoming;
    const asked = { method, key: key.join("/"), query: url.searchParams, headers };
    requests.push(asked);
    const own = answer(asked);
    if (own !== null) {
      incoming.resume();
      const body = "body" in own ? own.body : `<?xml version="1.0"?><Error><Code>${own.code}</Code></Error>`;
      response.writeHead(own.status, { "content-type": "application/xml" }).end(method === "HEAD" ? "" : body);
      return;
    }
    const { hostname, port } = target;
    const onwards = send({ hostname, port, method, path: incoming.url, headers }, (passed) => {
      response.writeHead(passed.statusCode ?? 502, passed.headers);
      passed.pipe(response);
    });
    onwards.once("error", () => response.destroy());
    incoming.pipe(onwards);
  };
  const server = createServer(handle);
  if (onExpect === "silent") server.on("checkContinue", () => {});
  if (onExpect === "refused")
    server.on("checkContinue", (_incoming, response) => response.writeHead(417, { connection: "close" }).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    settings: { ...s3.settings, endpoint },
    env: { ...s3.env, S3_ENDPOINT: endpoint },
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Behaves like a store that responds with 404 to a DELETE of an object that it does not have. */
export function refusesDeletesOfAbsent(): (request: S3Request) => S3Answer | null {
  const stored = new Set<string>();
  return ({ method, key, query }) => {
    if (key === "" || query.has("uploadId")) {
      if (method === "POST" && query.has("uploadId")) stored.add(key);
      return null;
    }
    if (method === "PUT") stored.add(key);
    if (method !== "DELETE" || stored.delete(key)) return null;
    return { status: 404, code: "NoSuchKey" };
  };
}

/**
 * Behaves like a store that supports no checksums except Content-MD5 and the signature: it rejects the SDK's CRC headers and trailers.
 */
export function refusesChecksums({ headers, query }: S3Request): S3Answer | null {
  const isAsked =
    Object.keys(headers).some(
      (name) => name.startsWith("x-amz-checksum-") || name === "x-amz-sdk-checksum-algorithm",
    ) ||
    headers["x-amz-trailer"] !== undefined ||
    query.has("x-amz-checksum-algorithm");
  return isAsked ? { status: 501, code: "NotImplemented" } : null;
}

/** Formats the list of a bucket's unfinished uploads as the response of S3 to ListMultipartUploads. */
export function uploadsList(
  uploads: readonly { readonly key: string; readonly id: string; readonly begun: Date }[],
): S3Answer {
  const items = uploads.map(
    ({ key, id, begun }) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begun.toISOString()}</Initiated></Upload>`,
  );
  const body = `<?xml version="1.0"?><ListMultipartUploadsResult>${items.join("")}</ListMultipartUploadsResult>`;
  return { status: 200, body };
}
