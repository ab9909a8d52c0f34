import { randomUUID } from "node:crypto";
import { type DomainKind, verdictOn } from "../domain.ts";
import { acknowledge, begin, type Entries, found } from "../entry.ts";

/** Project Audits: each acknowledged one is in its client's chain once, and every chain verifies. */
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
          const broken = await platform.ctl(["audits", "verify", "--client", id]).then(
            () => null,
            (error: Error) => error.message,
          );
          if (broken !== null) remarks.push(`BROKEN CHAIN of ${id}: ${broken}`);
        }
        if (remarks.length === 0) remarks.push("every hash chain verifies");
        return verdictOn("audits", entries, remarks);
      },
    };
  },
};
