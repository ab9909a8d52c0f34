import { Redis } from "ioredis";
import type { RedisLoad } from "../load/redis-load.ts";
import { type Contender, type Row, ratioCheck } from "../row.ts";

const inFlight = 64;
const ours = "admission: two quotas and a claim";
const raw = "raw EVALSHA of one INCR";
const rawTogether = "the same over the gateway's connection";

/** Everything Redis decides about one request, beside the least script there is; and that it is one command. */
export const admissionRow: Row = {
  id: "B4",
  title: "Quota and idempotency claim, 64 in flight",
  run: async (bench) => {
    const { stack } = await bench.platform();
    const contender = (name: string, { what, connection }: Pick<RedisLoad, "what" | "connection">): Contender => ({
      name,
      role: what === "admission" ? "ours" : "baseline",
      unit: "calls/s",
      run: (durationMs) =>
        bench.generator.run("redis", { what, connection, url: stack.redisUrl, inFlight, durationMs }),
    });
    const measured = await bench.measure([
      contender(ours, { what: "admission", connection: "gateway" }),
      contender(raw, { what: "evalsha", connection: "ioredis" }),
      contender(rawTogether, { what: "evalsha", connection: "gateway" }),
    ]);
    const redis = new Redis(stack.redisUrl);
    await redis.config("RESETSTAT");
    const { count } = await bench.generator.run("redis", {
      what: "admission",
      connection: "gateway",
      url: stack.redisUrl,
      inFlight,
      durationMs: 500,
    });
    const commands = await commandsFromClients(redis);
    redis.disconnect();
    const each = commands / count;
    return {
      measured,
      checks: [
        ratioCheck(measured, [ours, raw], 0.8),
        ratioCheck(measured, [ours, rawTogether], null),
        { text: "Redis commands for each admission = 1", value: each.toFixed(3), met: Math.abs(each - 1) < 0.01 },
      ],
      notes: [
        "The gateway's connection sends the commands of one event-loop tick in one write (autopipelining); the bare one each by itself.",
      ],
    };
  },
};

/** EVALSHA and EVAL calls since the statistics were reset; what a script calls inside is no command of a client. */
async function commandsFromClients(redis: Redis): Promise<number> {
  const text = await redis.info("commandstats");
  const calls = [...text.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+)/gm)].map(([, count]) => Number(count));
  return calls.reduce((sum, count) => sum + count, 0);
}
