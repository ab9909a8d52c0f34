import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "mongoose";

/** Between two looks at the database's clock, in milliseconds. */
const lookEveryMs = 10_000;
const looksAtFirst = 3;

/** What to add to `performance.now()` to have the database's time in epoch milliseconds, and by how much that may be wrong. */
type Offset = { readonly ms: number; readonly uncertaintyMs: number };

/**
 * A clock that shows the database's time, whatever this machine's says. What one process writes down (the end of a lease, when to try
 * again) another judges, so all processes of a service must read one clock: one machine an hour ahead would else keep its leases, and its
 * deliveries to itself, for an hour after it died. Between looks time passes as this process's monotonic clock has it: a clock that is set
 * meanwhile changes nothing. The look is `hello`, whose answer says `localTime` (MongoDB manual, "hello"), timed as in Cristian's
 * algorithm: it is wrong by half of the round trip at most. While the database does not answer, the last offset stays. Ends with the
 * connection.
 * @throws when the database does not answer the first look
 */
export async function databaseClock(connection: Connection, everyMs = lookEveryMs): Promise<() => Date> {
  let offset = await look(connection);
  const follow = (seen: Offset): void => {
    const isElsewhere = Math.abs(seen.ms - offset.ms) > seen.uncertaintyMs + offset.uncertaintyMs;
    if (isElsewhere || seen.uncertaintyMs <= offset.uncertaintyMs) offset = seen;
  };
  // The first round trips of a process are slow.
  for (let looks = 1; looks < looksAtFirst; looks += 1) follow(await look(connection));
  const ended = new AbortController();
  connection.once("close", () => ended.abort());
  const goOn = async (): Promise<void> => {
    for (;;) {
      await delay(everyMs, undefined, { ref: false, signal: ended.signal });
      await look(connection).then(follow, () => undefined);
    }
  };
  goOn().catch(() => undefined);
  return () => new Date(performance.now() + offset.ms);
}

async function look(connection: Connection): Promise<Offset> {
  const sentMs = performance.now();
  const answer = await connection.db?.admin().command({ hello: 1 });
  const answeredMs = performance.now();
  const shown: unknown = answer?.localTime;
  if (!(shown instanceof Date)) throw new Error("the database does not say what time it has");
  return { ms: shown.getTime() - (sentMs + answeredMs) / 2, uncertaintyMs: (answeredMs - sentMs) / 2 + 1 };
}
