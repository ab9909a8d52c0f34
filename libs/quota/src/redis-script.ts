import { hash } from "node:crypto";
import { Command, type Redis } from "ioredis";

/** A Lua script as its callers see it. The replies are numbers, texts, nulls and arrays of them, as the script returns them. */
export type RedisScript = {
  /** Runs the script: one EVALSHA. Rejects as every command of the connection does. */
  call(keys: readonly string[], args: readonly string[]): Promise<unknown>;
};

/** What of ioredis's Command is made anew below. Its types keep how a command is settled to themselves. */
type CommandBase = new (
  name: string,
  args: readonly string[],
  options: { readonly replyEncoding: "utf8" },
) => {
  promise: Promise<unknown>;
  isResolved: boolean;
  isSettled: boolean;
  transformReply(reply: unknown): unknown;
};

/**
 * A command whose bytes are made once, by its caller: ioredis would copy, convert and measure the arguments of each call in several steps,
 * which costs more than all the rest of the call. And one that is settled by methods: ioredis gives each command two functions of its own
 * for that, and V8 may keep such a command, and all that waits for it, until the next full collection (docs/decisions/0079).
 * Not for connections with ioredis's own `commandTimeout`: its timers would not be cleared.
 */
export class PreparedCommand extends (Command as unknown as CommandBase) {
  readonly #wire: string;
  declare private fulfil: (value: unknown) => void;
  declare private fail: (error: Error) => void;

  constructor(name: string, wire: string) {
    super(name, [], { replyEncoding: "utf8" });
    this.#wire = wire;
  }

  /** Called by ioredis, when the command is made. */
  initPromise(): void {
    this.isResolved = false;
    this.isSettled = false;
    this.promise = new Promise((fulfil, fail) => {
      this.fulfil = fulfil;
      this.fail = fail;
    });
  }

  resolve(reply: unknown): Promise<unknown> {
    try {
      this.fulfil(this.transformReply(reply));
      this.isResolved = true;
      this.isSettled = true;
    } catch (error) {
      this.reject(error as Error);
    }
    return this.promise;
  }

  reject(error: Error): void {
    this.isSettled = true;
    this.fail(error);
  }

  toWritable(): string {
    return this.#wire;
  }
}

/**
 * Prepares a script for a connection. Redis is sent the digest; only where it does not know the script (its first call, a restart, a
 * flush) the text follows. A call that Redis did not know has done nothing, so sending it again is safe.
 */
export function createRedisScript(redis: Redis, lua: string): RedisScript {
  const sha = hash("sha1", lua, "hex");
  const send = (name: string, wire: string): Promise<unknown> =>
    redis.sendCommand(new PreparedCommand(name, wire) as unknown as Command) as Promise<unknown>;
  return {
    call: async (keys, args) => {
      const rest = wireOf(keys, args);
      const count = keys.length + args.length + 3;
      try {
        return await send("evalsha", `*${count}\r\n$7\r\nEVALSHA\r\n$40\r\n${sha}\r\n${rest}`);
      } catch (error) {
        if (!(error as Error).message.startsWith("NOSCRIPT")) throw error;
        return send("eval", `*${count}\r\n$4\r\nEVAL\r\n${bulk(lua)}${rest}`);
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
