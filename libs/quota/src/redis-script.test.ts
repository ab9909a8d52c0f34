import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import { createRedisScript, type PreparedCommand } from "./redis-script.ts";

/** A connection that keeps what is sent, to be answered by the test. */
function recordingRedis(): { redis: Redis; sent: (PreparedCommand & { name: string })[] } {
  const sent: (PreparedCommand & { name: string })[] = [];
  const sendCommand = (command: PreparedCommand & { name: string }): Promise<unknown> => {
    sent.push(command);
    return command.promise;
  };
  return { redis: { sendCommand } as unknown as Redis, sent };
}

test("a reply is given as text and numbers, and the command is settled then", async () => {
  const { redis, sent } = recordingRedis();
  const answer = createRedisScript(redis, "return 1").call(["{a}k"], ["ä"]);
  const [command] = sent;
  expect(command?.isSettled).toBe(false);
  expect(command?.toWritable()).toMatch(/^\*5\r\n\$7\r\nEVALSHA\r\n\$40\r\n.*\$4\r\n{a}k\r\n\$2\r\nä\r\n$/s);
  command?.resolve([1, Buffer.from("zwölf"), null]);
  expect(command?.isSettled).toBe(true);
  await expect(answer).resolves.toEqual([1, "zwölf", null]);
});

test("a script that Redis does not know is sent whole; any other error is its caller's", async () => {
  const { redis, sent } = recordingRedis();
  const answer = createRedisScript(redis, "return 1").call([], []);
  sent[0]?.reject(new Error("NOSCRIPT No matching script."));
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]?.name).toBe("eval");
  sent[1]?.reject(new Error("Connection is closed."));
  expect(sent[1]?.isSettled).toBe(true);
  await expect(answer).rejects.toThrow("Connection is closed.");
});

/**
 * Bytes that each of 40,000 calls leaves among the old objects, while 64 wait and each new one follows an answer. By V8's interpreter and
 * its quick compilers alone: what the slow one makes of a hot function does not show it, but no function is sure to be compiled by it.
 * @param command what makes a command; its promise is what a call waits for
 */
async function keptByCalls(command: string): Promise<number> {
  const script = `
    import { GCProfiler } from "node:v8";
    import { Command } from "ioredis";
    import { PreparedCommand } from ${JSON.stringify(import.meta.resolve("./redis-script.ts"))};
    const sent = [];
    let done = 0;
    const caller = async () => {
      while (done < 60_000) {
        const held = new Array(200).fill(done);
        const command = ${command};
        sent.push(command);
        await command.promise;
        done += held.length / 200;
      }
    };
    for (let callers = 0; callers < 64; callers += 1) void caller();
    let profiler = null;
    const answer = () => {
      for (const command of sent.splice(0)) command.resolve(1);
      if (done >= 20_000 && profiler === null) (profiler = new GCProfiler()).start();
      if (done < 60_000) return void setImmediate(answer);
      const old = (heap) => heap.heapSpaceStatistics.find((space) => space.spaceName === "old_space").spaceUsedSize;
      let bytes = 0;
      for (const { gcType, beforeGC, afterGC } of profiler.stop().statistics)
        if (gcType === "Scavenge") bytes += old(afterGC) - old(beforeGC);
      console.log(bytes / 40_000);
    };
    setImmediate(answer);`;
  const flags = ["--no-opt", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname });
  return Number(stdout);
}

test("what waits for a command goes with the next young collection, however little of the code is compiled", async () => {
  expect(await keptByCalls('new PreparedCommand("incr", "")')).toBeLessThan(10);
  // Commands of ioredis as they are show that there is something to see. When they do not any more, the methods can go.
  expect(await keptByCalls('new Command("incr", [])')).toBeGreaterThan(100);
});
