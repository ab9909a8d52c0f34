import { randomUUID } from "node:crypto";
import { type DomainKind, verdictOn } from "../domain.ts";
import { acknowledge, begin, type Entries, found } from "../entry.ts";
import type { LoadedPlatform } from "../platform.ts";

const verifyTries = 5;

/**
 * Verifies a client's chain. Returns the problem, or null. On a machine that is still busy this may need another
 * attempt.
 */
async function verify(platform: LoadedPlatform, clientId: string): Promise<string | null> {
  for (let tried = 1; ; tried += 1) {
    try {
      await platform.ctl(["audits", "verify", "--client", clientId]);
      return null;
    } catch (error) {
      const { message } = error as Error;
      if (tried === verifyTries || !/dependency_unavailable|deadline_exceeded/.test(message)) return message;
    }
  }
}

/** Project Audits: each acknowledged audit must be in its client's chain once, and every chain must verify. */
export const audits: DomainKind = {
  name: "audits",
  perSecond: 50,
  create: async ({ ask, clients, nextClient, platform }) => {
    const entries: Entries = new Map();
    return {
      load: async () => {
        const client = nextClient();
        const entry = begin(entries, client.id, randomUUID());
        const { data, refusal } = await ask.untilAnswered(entry, {
          path: "/project-audits",
          credential: client.credential,
          idempotencyKey: entry.key,
          body: {
            actor_id: "load",
            action: "load.done",
            resource_type: "load",
            resource_id: entry.key,
            outcome: "succeeded",
          },
        });
        if (data !== null) acknowledge(entry, String(data.id));
        entry.refusal = refusal;
      },
      reconcile: async () => {
        const remarks: string[] = [];
        for (const { id } of clients) {
          const rows = (await platform.ctl(["audits", "list", "--client", id])) as {
            id: string;
            resource_id: string;
          }[];
          for (const row of rows) {
            const entry = entries.get(row.resource_id);
            if (entry !== undefined) found(entry, row.id);
          }
          const broken = await verify(platform, id);
          if (broken !== null) remarks.push(`BROKEN CHAIN of ${id}: ${broken}`);
        }
        if (remarks.length === 0) remarks.push("every hash chain verifies");
        return verdictOn("audits", entries, remarks);
      },
    };
  },
};
