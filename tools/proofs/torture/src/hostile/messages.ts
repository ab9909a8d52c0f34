import type { StackAddresses } from "./setting.ts";

/** The hostile callers by name. */
export const callerNames = ["outsider", "unread streams", "many patterns", "viewer", "project"] as const;
export type CallerName = (typeof callerNames)[number];

/** Messages from the torture program to the process of a hostile caller. */
export type CallersRequest =
  | { readonly prepare: StackAddresses; readonly name: CallerName }
  | { readonly attack: true }
  | { readonly pause: true }
  | { readonly close: true };

/** The reply to each message: the number of attempts so far by `actor|attempt|outcome`. */
export type CallersReply = {
  readonly done: boolean;
  readonly failure?: string;
  readonly counts: readonly (readonly [string, number])[];
};
