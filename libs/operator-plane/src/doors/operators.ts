/** Authorization of operators, and masking of personal data. */
export { accessOf, isSecurityAct, memberRolesOf, recentSignInMs, rolesOf, rpcName } from "../operators/access.ts";
export { admitOperator, requireRole, seesPersonalData } from "../operators/admit.ts";
export { breakGlassSubject } from "../operators/authenticate.ts";
export { clientOfCall, ownedField } from "../operators/client-of-call.ts";
export { membershipsOf, type OpenSession } from "../operators/open-sessions.ts";
export { isOperatorSubject, operatorChainId } from "../operators/operator-chain.ts";
export { invalidRequest } from "../operators/operator-request-error.ts";
export { isLookup, looksUp, maskOf } from "../operators/personal-data.ts";
export { readReason } from "../operators/read-reason.ts";
export type { ResourceOwners } from "../operators/resource-owners.ts";
export { revisionConflict } from "../operators/revision-conflict.ts";
export type { ApprovalPerson, Approvals } from "../operators/second-person.ts";
