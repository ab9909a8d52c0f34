import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isServiceError, ServiceError } from "@platform/kit/rpc/errors";
import { sendServiceError } from "@platform/kit/web/http";
import { type DownloadFileDependencies, downloadFile, downloadNotFound } from "./download-file.ts";
import { type ServePublicAssetDependencies, servePublicAsset } from "./serve-public-asset.ts";
import { abortUpload, type UploadFileDependencies, uploadFile } from "./upload-file.ts";

export type BytesDependencies = UploadFileDependencies & DownloadFileDependencies & ServePublicAssetDependencies;

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type BytesListener = {
  /** Handler for both the `request` and the `checkContinue` event of the server. */
  readonly listen: RequestListener;
  /** Resolves when no response is in progress and all interrupted uploads are settled. */
  finished(): Promise<void>;
};

/** Serves the byte streams of files-svc. */
export function createBytesListener(dependencies: BytesDependencies): BytesListener {
  const { logger } = dependencies;
  const running = new Set<Promise<void>>();
  return {
    listen: (request, response) => {
      const [path = ""] = (request.url ?? "").split("?", 1);
      const answer = findAnswer(request.method ?? "", path, dependencies);
      const answered = answer(request, response)
        .catch((error: unknown) => {
          if (!isServiceError(error)) logger.error({ err: error }, "the bytes of a file could not be served");
          sendServiceError(response, error);
        })
        .finally(() => running.delete(answered));
      running.add(answered);
    },
    finished: async () => void (await Promise.all(running)),
  };
}

function findAnswer(method: string, path: string, dependencies: BytesDependencies): Answer {
  const upload = /^\/api\/v1\/file-uploads\/([^/]+)$/.exec(path)?.[1];
  if (upload !== undefined && method === "PUT") {
    return (request, response) => uploadFile(request, response, upload, dependencies);
  }
  if (upload !== undefined && method === "DELETE") {
    return (request, response) => abortUpload(request, response, upload, dependencies);
  }
  if (method === "GET" || method === "HEAD") {
    const download = /^\/api\/v1\/file-downloads\/([^/]+)$/.exec(path)?.[1];
    if (download !== undefined) {
      return (request, response) => downloadFile(request, response, download, dependencies);
    }
    const asset = /^\/api\/v1\/public-assets\/([0-9a-f-]{36})\/([0-9a-f]{64})\.([a-z]{3,4})$/.exec(path);
    const [, id, sha256, extension] = asset ?? [];
    if (id !== undefined && sha256 !== undefined && extension !== undefined) {
      return (request, response) => servePublicAsset(request, response, { id, sha256, extension }, dependencies);
    }
    if (path.startsWith("/api/v1/public-assets/")) return async () => Promise.reject(downloadNotFound());
  }
  return async () => Promise.reject(new ServiceError("route_not_found", "There is nothing at this path."));
}
