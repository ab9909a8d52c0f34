import { Redis } from "ioredis";
import { type Contender, type Row, ratioCheck } from "../row.ts";

const inFlight = 64;
const ours = "admission: two quotas and a claim";
const raw = "raw EVALSHA of one INCR";

/** Everything Redis decides about one request, beside the least script there is; and that it is one command. */
export const admissionRow: Row = {
  id: "B4",
  title: "Quota and idempotency claim, 64 in flight",
  run: async (bench) => {
    const { stack } = await bench.platform();
    const contender = (name: string, what: "admission" | "evalsha"): Contender => ({
      name,
      role: what === "admission" ? "ours" : "baseline",
      unit: "calls/s",
      run: (durationMs) => bench.generator.run("redis", { what, url: stack.redisUrl, inFlight, durationMs }),
    });
    const measured = await bench.measure([contender(ours, "admission"), contender(raw, "evalsha")]);
    const redis = new Redis(stack.redisUrl);
    await redis.config("RESETSTAT");
    const { count } = await bench.generator.run("redis", {
      what: "admission",
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
        { text: "Redis commands for each admission = 1", value: each.toFixed(3), met: Math.abs(each - 1) < 0.01 },
      ],
      notes: [],
    };
  },
};

/** EVALSHA and EVAL calls since the statistics were reset; what a script calls inside is no command of a client. */
async function commandsFromClients(redis: Redis): Promise<number> {
  const text = await redis.info("commandstats");
  const calls = [...text.matchAll(/^cmdstat_(?:evalsha|eval):calls=(\d+)/gm)].map(([, count]) => Number(count));
  return calls.reduce((sum, count) => sum + count, 0);
}
