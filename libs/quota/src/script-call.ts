/** Part of a script call that belongs to one request: its keys, its values, and its result. */
export type Part = {
  readonly keys: readonly string[];
  readonly values: readonly (string | number)[];
  readonly resolve: (reply: never) => void;
  readonly reject: (error: unknown) => void;
};

/** A script that processes the parts of several requests and returns a reply for each. */
export type BatchedScript = "quotaSettle" | "quotaMeter";

/** One call of a script, with the parts of at most 64 requests. */
export type ScriptCall = {
  readonly script: BatchedScript;
  /** The number of keys, then the keys, then the values. */
  readonly args: (string | number)[];
  readonly parts: readonly Part[];
  /** Slot of all its keys in a Cluster; 0 without a Cluster. */
  readonly slot: number;
};

/**
 * Parts that share calls. Settlements run first, so that the units that they release can be spent in the same batch.
 */
export type Batch = Readonly<Record<BatchedScript, Part[]>>;

/** Maximum number of parts in one call, because Redis executes no other command during it. */
const partsMax = 64;

/** Returns the calls of a batch in the order in which they must be sent. */
export function callsOf(slot: number, { quotaSettle, quotaMeter }: Batch): ScriptCall[] {
  return [...callsOfScript("quotaSettle", quotaSettle, slot), ...callsOfScript("quotaMeter", quotaMeter, slot)];
}

function callsOfScript(script: BatchedScript, all: readonly Part[], slot: number): ScriptCall[] {
  const calls: ScriptCall[] = [];
  for (let from = 0; from < all.length; from += partsMax) {
    const parts = all.length <= partsMax ? all : all.slice(from, from + partsMax);
    const args: (string | number)[] = [0];
    for (const { keys } of parts) args.push(...keys);
    args[0] = args.length - 1;
    for (const { values } of parts) args.push(...values);
    calls.push({ script, args, parts, slot });
  }
  return calls;
}

/**
 * Passes each part of a call its reply.
 * @param error why Redis rejected the whole call, or null
 * @param onFailure called with the server's error for a part that failed, while other parts of the call have succeeded
 */
export function settleCall(
  { parts }: ScriptCall,
  error: Error | null,
  replies: unknown,
  onFailure: (message: string) => void,
): void {
  for (const [index, { resolve, reject }] of parts.entries()) {
    if (!Array.isArray(replies)) {
      reject(error ?? new Error("Redis gave no answer"));
      continue;
    }
    const reply: unknown = replies[index];
    if (Array.isArray(reply) && reply[0] === "failed") {
      onFailure(`${reply[1]}`);
      reject(new Error(`Redis: ${reply[1]}`));
    } else {
      // The script returns a reply of the type that the sender of the part expects.
      resolve(reply as never);
    }
  }
}
