import { setTimeout as delay } from "node:timers/promises";
import type { Connection } from "mongoose";

/** Time between two readings of the database's clock, in milliseconds. */
const lookEveryMs = 10_000;
const looksAtFirst = 3;

/**
 * Offset from `performance.now()` to the database's time in epoch milliseconds, and the maximum error of the offset.
 */
type Offset = { readonly ms: number; readonly uncertaintyMs: number };

/**
 * Creates a clock that returns the database's time, independent of this machine's clock. One process writes the end of
 * a lease and another evaluates it, so all processes of a service must use one clock. Otherwise, a worker whose machine
 * clock is an hour ahead would keep its leases for an hour after its death. The clock reads `localTime` of the command
 * `hello` by Cristian's algorithm, with an error of at most half of the round trip. Between readings, it uses the
 * process's monotonic clock, and while the database does not respond, it uses the last offset. `$$NOW` in updates is no
 * alternative, because a claim needs the same "now" several times. Log lines, spans, provider tokens and the gateway
 * use the machine's clock. The clock stops when the connection closes.
 * @throws if the database does not respond to the first reading
 */
export async function databaseClock(connection: Connection, everyMs = lookEveryMs): Promise<() => Date> {
  let offset = await look(connection);
  const follow = (seen: Offset): void => {
    const isElsewhere = Math.abs(seen.ms - offset.ms) > seen.uncertaintyMs + offset.uncertaintyMs;
    if (isElsewhere || seen.uncertaintyMs <= offset.uncertaintyMs) offset = seen;
  };
  // The first round trips of a process are slow, so the clock is read several times.
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
