import { callerGuard } from "@platform/service-kit/grpc/caller-identity";
import type { CallGuard } from "@platform/service-kit/grpc/incoming-call";

const fromGateway = callerGuard("gateway");
const fromGatewayOrMeter = callerGuard("gateway", "events-svc");

/** Only the gateway may ask whose a credential is; events-svc, which meters scheduled calls, may ask for a Project Client's limits. */
export const authenticationGuard: CallGuard = (method, call) =>
  (method.localName === "getProjectClient" ? fromGatewayOrMeter : fromGateway)(method, call);
