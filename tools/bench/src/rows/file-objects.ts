import { randomUUID } from "node:crypto";
import { transferSha256 } from "../load/transfer-load.ts";
import type { Platform } from "../platform.ts";
import { authorized } from "./http-contenders.ts";

type Grant = { readonly file_object_id: string; readonly upload_token: string };

async function post<T>(platform: Platform, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${platform.port}/api/v1${path}`, {
    method: "POST",
    headers: {
      ...authorized(platform),
      "idempotency-key": randomUUID(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/** Grants for uploads of so many megabytes. */
export function grantUploads(platform: Platform, megabytes: number, count: number): Promise<Grant[]> {
  const body = {
    expected_sha256: transferSha256(megabytes),
    expected_content_type: "text/plain",
    maximum_bytes: megabytes * 1_000_000,
  };
  return Promise.all(Array.from({ length: count }, () => post<Grant>(platform, "/file-objects/upload-grants", body)));
}

/** Where a grant's bytes are sent to. */
export const uploadPath = ({ upload_token }: Grant): string => `/api/v1/file-uploads/${upload_token}`;

/** Uploads bytes and waits until they are available; answers the File Object's id. */
export async function uploadAvailable(platform: Platform, grant: Grant, send: () => Promise<void>): Promise<string> {
  await send();
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const path = `/file-objects/${grant.file_object_id}/complete`;
    const { status } = await post<{ status: string }>(platform, path).catch(() => ({ status: "quarantined" }));
    if (status === "available") return grant.file_object_id;
    if (status === "rejected") throw new Error("the file was rejected");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the file was not classified in time");
}

/** Path and query of a private download. */
export async function downloadPath(platform: Platform, fileObjectId: string): Promise<string> {
  const grant = await post<{ download_url: string }>(platform, `/file-objects/${fileObjectId}/download-grants`);
  const { pathname, search } = new URL(grant.download_url);
  return pathname + search;
}

export { post };
