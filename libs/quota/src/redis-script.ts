import { hash } from "node:crypto";
import { Command, type Redis } from "ioredis";

/** A Lua script as its callers see it. The replies are numbers, texts, nulls and arrays of them, as the script returns them. */
export type RedisScript = {
  /** Runs the script: one EVALSHA. Rejects as every command of the connection does. */
  call(keys: readonly string[], args: readonly string[]): Promise<unknown>;
};

/**
 * A command whose bytes are made once, by its caller. ioredis would copy, convert and measure the arguments of each call in several
 * steps, which costs more than all the rest of the call.
 */
class PreparedCommand extends Command {
  readonly #wire: string;

  constructor(name: string, wire: string) {
    super(name, [], { replyEncoding: "utf8" });
    this.#wire = wire;
  }

  override toWritable(): string {
    return this.#wire;
  }
}

/**
 * Prepares a script for a connection. Redis is sent the digest; only where it does not know the script (its first call, a restart, a
 * flush) the text follows. A call that Redis did not know has done nothing, so sending it again is safe.
 */
export function createRedisScript(redis: Redis, lua: string): RedisScript {
  const sha = hash("sha1", lua, "hex");
  return {
    call: async (keys, args) => {
      const rest = wireOf(keys, args);
      const count = keys.length + args.length + 3;
      try {
        return await redis.sendCommand(
          new PreparedCommand("evalsha", `*${count}\r\n$7\r\nEVALSHA\r\n$40\r\n${sha}\r\n${rest}`),
        );
      } catch (error) {
        if (!(error as Error).message.startsWith("NOSCRIPT")) throw error;
        return redis.sendCommand(new PreparedCommand("eval", `*${count}\r\n$4\r\nEVAL\r\n${bulk(lua)}${rest}`));
      }
    },
  };
}

function wireOf(keys: readonly string[], args: readonly string[]): string {
  let wire = bulk(String(keys.length));
  for (const key of keys) wire += bulk(key);
  for (const arg of args) wire += bulk(arg);
  return wire;
}

/** A text as RESP carries it: its length in bytes, then itself. */
function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}
