/** Calls of other processes, and the data that travels with a call. */
export type { CallContext } from "../../rpc/call-context.ts";
export { showCertificateExpiry } from "../../rpc/certificate-metrics.ts";
export { type CallOptions, connectGrpc, type GrpcConnection, type ServiceClient } from "../../rpc/connect.ts";
export { assertPlaintextIsLocal, type TlsFiles, type TlsSetting } from "../../rpc/credentials.ts";
export { deadlineSignal, nextHopDeadline, steadyNowMs } from "../../rpc/deadline.ts";
export { decodeErrorDetail } from "../../rpc/error-detail.ts";
export {
  approvalHeader,
  isMemberRoleName,
  isRoleName,
  type MemberRoleName,
  type Membership,
  memberRoleNames,
  type Operator,
  type RoleName,
  roleNames,
} from "../../rpc/operator.ts";
export { dateOrNull, optionalTimestamp, timeOrNull } from "../../rpc/timestamps.ts";
