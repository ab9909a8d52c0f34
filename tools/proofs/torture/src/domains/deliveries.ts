import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { followArrivals } from "../arrivals.ts";
import { type DomainKind, verdictOn } from "../domain.ts";
import { acknowledge, begin, type Entries } from "../entry.ts";
import { templateKey } from "../platform.ts";

/** Time limit for queued deliveries, which are retried with backoff. */
const arrivalMsMax = 180_000;

/**
 * Notification Intents: the email of each acknowledged intent must arrive, and a repeat of it must have the same
 * Message-ID.
 */
export const deliveries: DomainKind = {
  name: "deliveries",
  perSecond: 200,
  create: async ({ ask, nextClient, platform }) => {
    const entries: Entries = new Map();
    const arrivals = followArrivals(platform.sinkUrl);
    return {
      load: async () => {
        const client = nextClient();
        const entry = begin(entries, client.id, randomUUID());
        const { data, refusal } = await ask.untilAnswered(entry, {
          path: "/notification-intents",
          credential: client.credential,
          idempotencyKey: entry.key,
          body: {
            sender_profile_id: client.senderProfileId,
            template_key: templateKey,
            locale: "en",
            endpoint_id: client.endpointId,
            variables: { key: entry.key },
          },
        });
        if (data !== null) acknowledge(entry, String(data.delivery_id));
        entry.refusal = refusal;
      },
      reconcile: async (stores) => {
        const { messageIds } = arrivals;
        const acknowledged = [...entries.values()].filter(({ id }) => id !== null);
        const until = performance.now() + arrivalMsMax;
        for (;;) {
          await arrivals.poll();
          if (acknowledged.every(({ key }) => messageIds.has(key)) || performance.now() > until) break;
          await delay(1_000);
        }
        for (const entry of acknowledged) {
          const arrived = messageIds.get(entry.key);
          if (arrived === undefined) continue;
          entry.storedId = entry.id;
          // A repeat after a crash has the same Message-ID; a different one means that a second delivery was created.
          entry.isDoubled = new Set(arrived).size > 1;
        }
        const repeats = [...messageIds.values()].filter((ids) => ids.length > 1).length;
        const open = await stores("notify")
          .collection("deliveries")
          .countDocuments({ status: { $in: ["pending", "sending"] } });
        return verdictOn("deliveries", entries, [
          `${repeats} repeated after a crash, each with its first Message-ID`,
          `${open} still open`,
        ]);
      },
      close: () => arrivals.stop(),
    };
  },
};
