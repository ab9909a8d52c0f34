import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { defined } from "@platform/kit/process/fields";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { repositoryRoot } from "../src/stack.ts";
import { type ReplicatedStack, startReplicatedStack } from "./replicated-stack.ts";

/*
 * Command: make test-upgrade BEFORE=/path. It upgrades a platform of an earlier version, checked out there with its packages installed, process by process to
 * this version while projects call it, and then downgrades it again. Services are replaced in random order and gateways last. Each version must read what the
 * other has written. Operators are authenticated only by OPERATOR_TOKEN, which must work until it is removed.
 */

const run = promisify(execFile);
const before = process.env.BEFORE ?? "";
if (before === "") throw new Error("BEFORE names the checkout to upgrade from");
const seed = Number(process.env.ORDER_SEED ?? Date.now() % 100_000);

/** Commands of the earlier version, one per service, which users may have in scripts. */
const scripts: readonly (readonly string[])[] = [
  ["clients", "list"],
  ["clients", "disable", "--client", "OTHER"],
  ["clients", "enable", "--client", "OTHER"],
  ["quotas", "set", "--client", "CLIENT", "--resource", "events", "--limit", "999999999"],
  ["quotas", "show", "--client", "CLIENT"],
  ["deliveries", "show", "--delivery", "DELIVERY"],
  ["catalog", "show", "--client", "CLIENT"],
  ["audits", "verify", "--client", "CLIENT"],
  ["schedules", "list", "--client", "CLIENT"],
  ["campaigns", "show", "--campaign", "CAMPAIGN"],
  ["image-presets", "list"],
];
/** The same commands, and the operations that this version adds, which must work once their service is upgraded. */
const added: readonly (readonly string[])[] = [
  ["whoami"],
  ["deliveries", "list", "--client", "CLIENT"],
  ["files", "list", "--client", "CLIENT"],
  ["operator-actions", "list"],
  ["operator-actions", "verify"],
  ["usage", "--client", "CLIENT"],
];

type Figures = { commands: number; failedCommands: string[] };

function shuffled<T>(items: readonly T[]): T[] {
  let state = seed;
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Runs a command of a version's platformctl with the token; returns its error message if it fails, otherwise null. */
async function outcomeOf(
  directory: string,
  root: string,
  args: readonly string[],
  token?: string,
): Promise<string | null> {
  const script = join(root, "tools/platformctl/bin/platformctl.js");
  const env = {
    ...process.env,
    STACK_DIR: directory,
    PLATFORMCTL_HOME: join(directory, "upgrade-platformctl"),
    ...defined({ OPERATOR_TOKEN: token }),
  };
  const node = join(root, "node_modules/.bin/node");
  return run(node, [script, "--json", ...args], { env }).then(
    () => null,
    (error: Error & { stderr?: string }) => (error.stderr ?? error.message).trim(),
  );
}

async function upgrade(platform: ReplicatedStack): Promise<void> {
  const { stack, clientId, ctl } = platform;
  const { directory } = stack;
  const other = ((await ctl(["clients", "create", "--name", "other", "--environment", "sandbox"])) as { id: string })
    .id;
  const load = await platform.startLoad();
  await eventually(() => load.deliveryIds.length > 20, { timeoutMs: 60_000, what: "the earlier version serves" });
  const [delivery = ""] = load.deliveryIds;
  const campaigns = (await ctl(["campaigns", "list"])) as { items?: { id: string }[] } & { id: string }[];
  const campaign = (campaigns.items ?? campaigns)[0]?.id ?? "";
  const named: Readonly<Record<string, string>> = {
    CLIENT: clientId,
    OTHER: other,
    DELIVERY: delivery,
    CAMPAIGN: campaign,
  };
  const real = (args: readonly string[]): string[] => args.map((arg) => named[arg] ?? arg);
  const figures: Figures = { commands: 0, failedCommands: [] };
  const check = async (root: string, commands: readonly (readonly string[])[], when: string): Promise<void> => {
    for (const args of commands) {
      const said = await outcomeOf(directory, root, real(args));
      figures.commands += 1;
      if (said !== null) figures.failedCommands.push(`${when}: ${args.join(" ")}: ${said}`);
    }
  };

  await check(before, scripts, "before the upgrade");
  // Gateways are replaced last, because those of this version use TLS for the services' HTTP ports, which earlier services do not offer.
  const isGateway = (name: string): boolean => name.startsWith("gateway");
  const order = [
    ...shuffled(platform.processes.filter((name) => !isGateway(name))),
    ...shuffled(platform.processes.filter(isGateway)),
  ];
  console.log(`order (ORDER_SEED=${seed}): ${order.join(", ")}`);
  const rollAll = async (names: readonly string[], root: string, how: string): Promise<void> => {
    for (const [at, name] of names.entries()) {
      const served = load.requests();
      await stack.roll(name, root);
      await eventually(() => load.requests() > served + 30, { timeoutMs: 60_000, what: "the load goes on" });
      if (at % 4 === 0) {
        await check(before, scripts, `${at + 1} of ${names.length} ${how}, earlier platformctl`);
        await check(repositoryRoot, scripts, `${at + 1} of ${names.length} ${how}, this platformctl`);
      }
    }
  };
  await rollAll(order, repositoryRoot, "upgraded");
  await check(before, scripts, "all upgraded, earlier platformctl");
  await check(repositoryRoot, [...scripts, ...added], "all upgraded, this platformctl");
  // The downgrade replaces processes in the opposite order, because gateways of this version do not call earlier services.
  await rollAll(order.toReversed(), resolve(before), "taken back");
  await check(before, scripts, "all taken back, earlier platformctl");
  await load.stop();

  const lost = await lostWork(platform, load.eventIds, load.deliveryIds);
  const token = await takeTokenAway(platform, order);
  console.log(
    JSON.stringify(
      {
        requests: load.requests(),
        failed_requests: load.failures.length,
        processes: order.length,
        events: load.eventIds.length,
        deliveries: load.deliveryIds.length,
        lost,
        commands: figures.commands,
        failed_commands: figures.failedCommands.length,
        token,
      },
      null,
      2,
    ),
  );
  for (const line of [...load.failures, ...figures.failedCommands]) console.log(line);
  const isGood =
    load.failures.length + figures.failedCommands.length + lost === 0 && token.during === null && token.after !== null;
  process.exitCode = isGood ? 0 : 1;
}

/** Finds acknowledged events that are not stored, and deliveries that are never sent. */
async function lostWork(platform: ReplicatedStack, eventIds: readonly string[], deliveryIds: readonly string[]) {
  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  try {
    const count = (service: string, name: string, filter: object): Promise<number> =>
      mongo.db(platform.stack.databaseOf(service)).collection(name).countDocuments(filter);
    const events = await count("events", "domain_events", { _id: { $in: [...eventIds] } });
    const sent = () => count("notify", "deliveries", { _id: { $in: [...deliveryIds] }, status: "sent" });
    await eventually(async () => (await sent()) === deliveryIds.length, { timeoutMs: 60_000, everyMs: 200 }).catch(
      () => null,
    );
    return eventIds.length - events + (deliveryIds.length - (await sent()));
  } finally {
    await mongo.close();
  }
}

/**
 * Replaces OPERATOR_TOKEN in two steps. In the first, the previous token is still accepted.
 * @returns the error that the previous token gets in each state; null if it works
 */
async function takeTokenAway({ stack }: ReplicatedStack, processes: readonly string[]) {
  const earlier = stack.settings.OPERATOR_TOKEN ?? "";
  const next = "f".repeat(64);
  const servers = processes.filter((name) => /^[a-z]+-svc(-2)?$/.test(name));
  const restart = async (env: Readonly<Record<string, string>>): Promise<void> => {
    for (const name of servers) {
      await stack.kill(name, "SIGTERM");
      await stack.start(name, env);
    }
  };
  const ask = (token: string) => outcomeOf(stack.directory, repositoryRoot, ["clients", "list"], token);
  await restart({ OPERATOR_TOKEN: next, OPERATOR_TOKEN_PREVIOUS: earlier });
  const during = (await ask(earlier)) ?? (await ask(next));
  await restart({ OPERATOR_TOKEN: next });
  const after = await ask(earlier);
  return { during, after };
}

const platform = await startReplicatedStack({
  root: resolve(before),
  env: { OPERATOR_OIDC_ISSUER: "", OPERATOR_OIDC_CLIENT_IDS: "" },
});
try {
  await upgrade(platform);
} finally {
  await platform.close();
}
