import { Counter, type Registry } from "@prometheus-io/client";

/** Metrics of the identity migration. */
export type IdentityMetrics = {
  /** Sign-in attempts, by outcome; an increase of `refused` or `locked` indicates that someone is guessing. */
  readonly signIns: Counter<"outcome">;
  /** Transitions of transactions, each counted by the process whose write caused it. */
  readonly transitions: Counter<"to">;
};

export function createIdentityMetrics(registry: Registry): IdentityMetrics {
  return {
    signIns: new Counter({
      name: "platform_identity_sign_ins_total",
      help: "Sign-ins and re-authentications tried on the hosted pages, by outcome.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    transitions: new Counter({
      name: "platform_identity_transitions_total",
      help: "Identity Migration Transactions that came into a state.",
      labelNames: ["to"],
      registers: [registry],
    }),
  };
}
