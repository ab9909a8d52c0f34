import { createHash, randomUUID } from "node:crypto";
import { type DomainKind, verdictOn } from "@platform/torture/domain";
import { begin, type Entries } from "@platform/torture/entry";

/** Uploads whose bytes differ from the announced ones. Each must be refused, and its storage quota released. */
export const refusedUploads: DomainKind = {
  name: "refused uploads",
  perSecond: 1,
  create: async ({ ask, nextClient }) => {
    const entries: Entries = new Map();
    return {
      load: async () => {
        const { id, credential } = nextClient();
        const entry = begin(entries, id, randomUUID());
        const { data, refusal } = await ask.untilAnswered(entry, {
          path: "/file-objects/upload-grants",
          credential,
          idempotencyKey: entry.key,
          body: {
            expected_sha256: createHash("sha256").update(entry.key).digest("hex"),
            expected_content_type: "text/plain",
            maximum_bytes: entry.key.length,
          },
        });
        if (data === null) {
          // If the first response was lost together with the token, the grant's storage is released when it expires.
          entry.refusal = refusal;
          return;
        }
        const path = `/file-uploads/${data.upload_token}`;
        const put = await ask.once(entry, { method: "PUT", path, credential: null, body: randomUUID() });
        if (put !== null && put.refusal === null) entry.refusal = "other bytes than promised were stored";
      },
      reconcile: async () => verdictOn("refused uploads", entries, []),
    };
  },
};
