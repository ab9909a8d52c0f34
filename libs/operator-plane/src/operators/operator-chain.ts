/**
 * Identifies the chain of operator actions in events-svc, in place of a Project Client's id. No Project Client has this
 * id.
 */
export const operatorChainId = "operator-actions";
