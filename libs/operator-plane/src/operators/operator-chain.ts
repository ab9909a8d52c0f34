/**
 * Used in place of a Project Client's id for the chain of operator actions in events-svc. No Project Client has this
 * id.
 */
export const operatorChainId = "operator-actions";
