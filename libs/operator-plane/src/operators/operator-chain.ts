/** Stands for a Project Client's id in the chain of operators' actions that events-svc keeps. No Project Client has it. */
export const operatorChainId = "operator-actions";
