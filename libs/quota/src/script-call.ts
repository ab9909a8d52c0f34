/** Part of a script call that belongs to one request: its keys, its values, and its result. */
export type Part = {
  /** All in one slot of a Cluster. */
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
  readonly parts: readonly Part[];
};

/**
 * Parts that share calls. Settlements run first, so that the units that they release can be spent in the same batch.
 */
export type Batch = Readonly<Record<BatchedScript, Part[]>>;

/** Returns a batch without parts. */
export const emptyBatch = (): Batch => ({ quotaSettle: [], quotaMeter: [] });

/** Maximum number of parts in one call, because Redis executes no other command during it. */
const partsMax = 64;

/** Returns the calls of a batch in the order in which they must be sent. */
export function callsOf({ quotaSettle, quotaMeter }: Batch): ScriptCall[] {
  return [...callsOfScript("quotaSettle", quotaSettle), ...callsOfScript("quotaMeter", quotaMeter)];
}

function callsOfScript(script: BatchedScript, all: readonly Part[]): ScriptCall[] {
  const calls: ScriptCall[] = [];
  for (let from = 0; from < all.length; from += partsMax) {
    calls.push({ script, parts: all.length <= partsMax ? all : all.slice(from, from + partsMax) });
  }
  return calls;
}

/**
 * Returns the arguments of a command that declares its keys: the number of keys, the keys of all parts, the values of
 * all parts. See parts-of-one-slot.lua.
 */
export function argumentsOfOneSlot(parts: readonly Part[]): (string | number)[] {
  const all: (string | number)[] = [0];
  for (const { keys } of parts) all.push(...keys);
  all[0] = all.length - 1;
  for (const { values } of parts) all.push(...values);
  return all;
}

/**
 * Returns the arguments of a command to a node of a Cluster: the script, 0 as the number of declared keys, then each
 * part's keys and values. See parts-of-one-node.lua.
 */
export function argumentsOfOneNode(script: string, parts: readonly Part[]): (string | number)[] {
  const all: (string | number)[] = [script, 0];
  for (const { keys, values } of parts) all.push(...keys, ...values);
  return all;
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
  for (const [index, part] of parts.entries()) {
    if (Array.isArray(replies)) settlePart(part, replies[index], onFailure);
    else part.reject(error ?? new Error("Redis gave no answer"));
  }
}

/** Passes a part its reply. The arguments are those of `settleCall`. */
export function settlePart({ resolve, reject }: Part, reply: unknown, onFailure: (message: string) => void): void {
  if (Array.isArray(reply) && reply[0] === "failed") {
    onFailure(`${reply[1]}`);
    reject(new Error(`Redis: ${reply[1]}`));
  } else {
    // The script returns a reply of the type that the sender of the part expects.
    resolve(reply as never);
  }
}
