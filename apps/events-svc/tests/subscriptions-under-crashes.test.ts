import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callFor, operatorCall } from "./fixture.ts";
import { eventOf, type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";
import { workerProcesses } from "./worker-processes.ts";

/** Number of events. For a longer run, set SUBSCRIPTION_EVENTS=100000. */
const events = Number(process.env.SUBSCRIPTION_EVENTS ?? 3_000);
const subscriptions = 50;
const streams = 20;
const leaseMs = 30_000;

type Seen = { readonly id: string; readonly position: number; readonly stream: string };

let bed: SubscriptionBed;
let workers: ReturnType<typeof workerProcesses>;

beforeAll(async () => {
  bed = await startSubscriptionBed({}, { hasWorker: false });
  workers = workerProcesses(bed.env, bed.now());
});
afterAll(async () => {
  while (workers.count() > 0) await workers.killOldest();
  await bed.close();
});

test("delivers every event in the order of its stream while workers are killed, two targets are dead and one is slow", async () => {
  const seen = new Map<string, Seen[]>();
  let isDeadTargetBack = false;
  bed.target.answerWith((arrival, response) => {
    const [, number = ""] = arrival.path.split("/target-");
    const isDead = Number(number) < 2 && !isDeadTargetBack;
    if (isDead) return void response.writeHead(503).end();
    const { id, position, streamid } = eventOf(arrival);
    const list = seen.get(number) ?? [];
    seen.set(number, list);
    list.push({ id, position: Number(position), stream: `${streamid}` });
    if (number === "2") setTimeout(() => response.end(), 100);
    else response.end();
  });

  const clientIds = await Promise.all(
    Array.from({ length: subscriptions }, () => bed.identity.createClient("development", 10_000_000)),
  );
  const ids = await Promise.all(
    clientIds.map(async (clientId, number) => {
      const url = `${bed.target.url}/target-${number}`;
      return (await bed.subscribe(clientId, { url, order: "stream", maxAttempts: 100 })).id;
    }),
  );
  const published = new Map<string, Set<string>>();
  const publishAll = async (): Promise<void> => {
    await Promise.all(
      clientIds.map(async (clientId, number) => {
        const own = new Set<string>();
        published.set(`${number}`, own);
        for (let index = number; index < events; index += subscriptions) {
          const round = Math.floor(index / subscriptions);
          const request = {
            type: "order.changed",
            schemaVersion: 1,
            dataJson: "{}",
            streamId: `s${round % streams}`,
            sequence: BigInt(Math.floor(round / streams) + 1),
          };
          const { event } = await bed.server.events.publishDomainEvent(request, callFor(clientId));
          own.add(event?.id ?? "");
        }
      }),
    );
  };
  const setClock = (time: number): void => {
    bed.setClock(new Date(time));
    workers.setClock(new Date(time));
  };
  await Promise.all([workers.start(), workers.start(), workers.start()]);
  let isPublished = false;
  const publishing = publishAll().then(() => {
    isPublished = true;
  });
  // A worker is killed while it works. Once its leases have expired, other workers claim its runs.
  for (let kill = 0; kill < 4 || !isPublished; kill += 1) {
    const before = bed.target.arrivals.length;
    await eventually(() => isPublished || bed.target.arrivals.length >= before + events / 20, { timeoutMs: 120_000 });
    await workers.killOldest();
    await workers.start();
    setClock(bed.now().getTime() + leaseMs + 1);
  }
  await publishing;
  isDeadTargetBack = true;
  const wanted = (number: number): number => published.get(`${number}`)?.size ?? 0;
  const missing = (): number =>
    ids.filter((_, number) => new Set(seen.get(`${number}`)?.map(({ id }) => id)).size < wanted(number)).length;
  await eventually(
    async () => {
      if (missing() === 0) return true;
      setClock(bed.now().getTime() + leaseMs + 1);
      return false;
    },
    { timeoutMs: 120_000 + events * 20, everyMs: 500, what: "every event at its target" },
  );

  for (const number of ids.keys()) {
    const list = seen.get(`${number}`) ?? [];
    expect(new Set(list.map(({ id }) => id))).toEqual(published.get(`${number}`));
    // After a crash, a call may be repeated, but never after the next event of its stream was called.
    const lastOfStream = new Map<string, number>();
    for (const { position, stream } of list) {
      expect(position).toBeGreaterThanOrEqual(lastOfStream.get(stream) ?? 0);
      lastOfStream.set(stream, position);
    }
  }
  await eventually(async () => (await Promise.all(ids.map(bed.show))).every(({ lag }) => lag === 0), {
    timeoutMs: 60_000,
  });
  const first = ids[3] ?? "";
  const before = seen.get("3")?.length ?? 0;
  await bed.subscriptions.replaySubscription(
    { subscriptionId: first, afterPosition: 10n, toPosition: 20n },
    operatorCall(),
  );
  const replayed = await eventually(() => {
    const list = seen.get("3")?.slice(before) ?? [];
    return list.length >= 10 ? list : undefined;
  });
  expect(replayed.map(({ position }) => position).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 10 }, (_, index) => 11 + index),
  );
}, 1_800_000);
