import { MongoClient } from "mongodb";
import { Agent } from "undici";
import { createAsk } from "./ask.ts";
import type { DomainKind, Stores, Verdict, World } from "./domain.ts";
import { type CreateFaults, runFaults } from "./faults.ts";
import { startLoad } from "./load.ts";
import type { OverloadResult } from "./overload.ts";
import { type LoadClient, type Platform, prepareClient } from "./platform.ts";
import { seededRandom } from "./random.ts";

export type TortureOptions = {
  readonly minutes: number;
  readonly seed: number;
  readonly clientCount: number;
  readonly domains: readonly DomainKind[];
  /** Requests per second of each domain, by its name. */
  readonly pace: Readonly<Record<string, number>>;
  /** The faults to execute. */
  readonly createFaults: CreateFaults;
  /** Further actions on the platform after the faults have ended and before the reconciliation. */
  readonly afterwards?: (clients: readonly LoadClient[]) => Promise<OverloadResult[]>;
  readonly say: (text: string) => void;
};

export type TortureOutcome = {
  readonly faults: ReadonlyMap<string, number>;
  /** Requests with a final response, in each whole minute of the faults. */
  readonly settledByMinute: readonly number[];
  readonly overloads: readonly OverloadResult[];
  readonly verdicts: readonly Verdict[];
};

/** Longest wait for the last responses, after all faults have ended. */
const finishMsMax = 300_000;

/** Puts the domains under load, injects faults for a while, and then reconciles every acknowledged id. */
export async function torture(platform: Platform, options: TortureOptions): Promise<TortureOutcome> {
  const { minutes, seed, say } = options;
  say(`preparing clients (seed ${seed})`);
  const clients: LoadClient[] = [];
  for (let index = 0; index < options.clientCount; index += 1) clients.push(await prepareClient(platform, index));
  const agent = new Agent({ connections: 128, headersTimeout: 20_000, bodyTimeout: 20_000 });
  const world = createWorld(platform, clients, agent);
  const domains = [];
  for (const kind of options.domains) {
    const { name, perSecond } = kind;
    domains.push({ name, domain: await kind.create(world), perSecond: options.pace[name] ?? perSecond });
  }
  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  const stores: Stores = (service) => mongo.db(platform.stack.databaseOf(service));
  try {
    const load = startLoad(domains, world.ask);
    say(`load started; faults for ${minutes} minutes`);
    const settledByMinute: number[] = [];
    const watch = setInterval(() => {
      const { settled, again } = load.progress();
      settledByMinute.push(settled);
      say(`${settled} settled in a minute, ${load.open()} open; tries to be made again: ${JSON.stringify(again)}`);
    }, 60_000);
    const random = seededRandom(seed);
    const faults = await runFaults(
      options.createFaults(platform, random),
      random,
      performance.now() + minutes * 60_000,
      say,
    );
    clearInterval(watch);
    say(`faults over; ${load.open()} still open`);
    await load.finish(finishMsMax);
    const overloads = (await options.afterwards?.(clients)) ?? [];
    const verdicts: Verdict[] = [];
    for (const { name, domain } of domains) {
      say(`reconciling ${name}`);
      verdicts.push(await domain.reconcile(stores, overloads));
    }
    return { faults, settledByMinute, overloads, verdicts };
  } finally {
    for (const { domain } of domains) domain.close?.();
    await agent.destroy();
    await mongo.close();
  }
}

function createWorld(platform: Platform, clients: readonly LoadClient[], agent: Agent): World {
  let next = 0;
  return {
    platform,
    clients,
    ask: createAsk(agent, platform.disturbedGateways),
    nextClient: () => {
      const client = clients[next++ % clients.length];
      if (client === undefined) throw new Error("there are no clients");
      return client;
    },
  };
}
