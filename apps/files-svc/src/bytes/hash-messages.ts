import type { Block } from "./block-pool.ts";

/** Messages to the hash thread. A hash starts with its first message and ends with `digest` or `forget`. */
export type ToHashWorker =
  | { readonly kind: "update"; readonly hash: number; readonly bytes: Block }
  | { readonly kind: "digest"; readonly hash: number }
  | { readonly kind: "forget"; readonly hash: number };

/** The replies to each `update` (null) and `digest` (hexadecimal), in their order. */
export type FromHashWorker = string | null;
