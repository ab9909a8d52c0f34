/** Serving the calls of other processes. */
export { type CallerName, callerGuard, serviceCallers } from "../../rpc/caller-identity.ts";
export { declaredBounds, neededBounds, requestReader } from "../../rpc/message-bounds.ts";
export { type GrpcServer, requireIdempotency, requireProjectClient, serveGrpc } from "../../rpc/serve.ts";
export {
  type Implementation,
  implement,
  implementForOperators,
  type OtherCallers,
  type ServedService,
} from "../../rpc/served-service.ts";
export type { Guard, ServerCall } from "../../rpc/server-call.ts";
export { type ServiceName, serviceNames } from "../../rpc/service-names.ts";
