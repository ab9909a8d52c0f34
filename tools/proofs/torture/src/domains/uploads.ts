import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type DomainKind, verdictOn, type World } from "../domain.ts";
import { acknowledge, begin, type Entries, type Entry } from "../entry.ts";

const classificationMsMax = 180_000;
const downloadsAtOnce = 16;

const contentOf = (key: string): string => `${key}\n`.repeat(100);
const refused = (refusal: string | null, code: string): boolean => refusal?.endsWith(` ${code}`) === true;

/**
 * File Objects: the bytes of each acknowledged upload must be stored, become available, and be downloaded unchanged.
 */
export const uploads: DomainKind = {
  name: "uploads",
  perSecond: 5,
  create: async (world) => {
    const entries: Entries = new Map();
    return {
      load: async () => {
        const client = world.nextClient();
        const entry = begin(entries, client.id, randomUUID());
        while (entry.id === null && entry.refusal === null) await upload(world, entry, client.credential);
      },
      reconcile: async () => {
        const acknowledged = [...entries.values()].filter(({ id }) => id !== null);
        const until = performance.now() + classificationMsMax;
        const queue = acknowledged.values();
        const credentials = new Map(world.clients.map(({ id, credential }) => [id, credential]));
        await Promise.all(
          Array.from({ length: downloadsAtOnce }, async () => {
            for (const entry of queue) {
              const bytes = await download(world, entry, credentials.get(entry.clientId) ?? "", until);
              if (bytes === contentOf(entry.key)) entry.storedId = entry.id;
            }
          }),
        );
        return verdictOn("uploads", entries, ["each downloaded and compared byte for byte"]);
      },
    };
  },
};

/** One grant and its upload. A broken upload may have consumed its token, so it is repeated with another grant. */
async function upload({ ask }: World, entry: Entry, credential: string): Promise<void> {
  const content = contentOf(entry.key);
  const granted = await ask.untilAnswered(entry, {
    path: "/file-objects/upload-grants",
    credential,
    idempotencyKey: randomUUID(),
    body: {
      expected_sha256: createHash("sha256").update(content).digest("hex"),
      expected_content_type: "text/plain",
      maximum_bytes: content.length,
    },
  });
  // The first response was lost together with the token.
  if (refused(granted.refusal, "upload_grant_already_issued")) return;
  if (granted.data === null) {
    entry.refusal = granted.refusal;
    return;
  }
  const fileId = String(granted.data.file_object_id);
  const path = `/file-uploads/${granted.data.upload_token}`;
  const put = await ask.once(entry, { method: "PUT", path, credential: null, body: content });
  if (put?.data != null) return acknowledge(entry, fileId);
  // If an upload got no response, the load asks the platform whether its bytes were stored.
  const completed = await ask.untilAnswered(entry, { path: `/file-objects/${fileId}/complete`, credential });
  if (completed.data !== null) acknowledge(entry, fileId);
  else if (!refused(completed.refusal, "file_object_not_uploaded")) entry.refusal = completed.refusal;
}

/** The bytes of a file once it is available; null if it does not become available. */
async function download(
  { platform }: World,
  { id }: Entry,
  credential: string,
  untilMs: number,
): Promise<string | null> {
  const post = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${platform.gateways[0]}/api/v1/file-objects/${id}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${credential}`, "idempotency-key": randomUUID() },
    });
    return ((await response.json()) as { data?: Record<string, unknown> }).data ?? {};
  };
  while ((await post("complete")).status !== "available") {
    if (performance.now() > untilMs) return null;
    await delay(1_000);
  }
  const { download_url } = await post("download-grants");
  if (download_url === undefined) return null;
  const response = await fetch(String(download_url));
  return response.ok ? response.text() : null;
}
