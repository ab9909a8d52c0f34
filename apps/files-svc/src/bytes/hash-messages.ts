import type { Block } from "./block-pool.ts";

/** Messages to the hash thread. The first message with an id starts a hash, and `digest` or `forget` ends it. */
export type ToHashWorker =
  | { readonly kind: "update"; readonly hash: number; readonly bytes: Block }
  | { readonly kind: "digest"; readonly hash: number }
  | { readonly kind: "forget"; readonly hash: number };

/** The replies to each `update` (null) and each `digest` (hexadecimal), in the order of the messages. */
export type FromHashWorker = string | null;
