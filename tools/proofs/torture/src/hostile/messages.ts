import type { StackAddresses } from "./setting.ts";

/** Messages from the torture program to the process of the hostile callers. */
export type CallersRequest =
  | { readonly prepare: StackAddresses; readonly names: readonly string[] }
  | { readonly attack: true }
  | { readonly pause: true }
  | { readonly close: true };

/** The reply to each message: the number of attempts so far by `actor|attempt|outcome`. */
export type CallersReply = {
  readonly done: boolean;
  readonly failure?: string;
  readonly counts: readonly (readonly [string, number])[];
};
