import { vi } from "vitest";
import { api, ctl, newClient, type TestClient } from "./stack.ts";

const storageBytes = 8 * 1024 ** 3;

/** Creates a client that may store 8 GiB. */
export async function newStorageClient(): Promise<TestClient> {
  const client = await newClient();
  await ctl(["quotas", "set", "--client", client.id, "--resource", "storage_bytes", "--limit", String(storageBytes)]);
  return client;
}

/**
 * Requests an upload grant until it is granted, because a raised quota takes effect on every gateway within a second.
 */
export async function grantUpload(
  client: TestClient,
  sha256: string,
  maximumBytes: number,
): Promise<{ file_object_id: string; upload_token: string }> {
  const body = { expected_sha256: sha256, expected_content_type: "text/plain", maximum_bytes: maximumBytes };
  return vi.waitUntil(
    async () => {
      const reply = await api("POST", "/file-objects/upload-grants", { credential: client.credential, body });
      return reply.status === 200 && reply.json.data;
    },
    { timeout: 60_000 },
  );
}
