import type { StackAddresses } from "./setting.ts";

/** The messages from the torture to the process of the hostile callers. */
export type CallersRequest =
  | { readonly prepare: StackAddresses; readonly names: readonly string[] }
  | { readonly attack: true }
  | { readonly pause: true }
  | { readonly close: true };

/** The answer to each request, with the attempts so far: `actor|attempt|outcome` and how many. */
export type CallersReply = {
  readonly done: boolean;
  readonly failure?: string;
  readonly counts: readonly (readonly [string, number])[];
};
