import { callerGuard } from "@platform/service-kit/grpc/caller-identity";
import type { CallGuard } from "@platform/service-kit/grpc/incoming-call";

const fromGateway = callerGuard("gateway");
const fromGatewayOrMeter = callerGuard("gateway", "events-svc");
const fromServices = callerGuard("gateway", "files-svc", "notify-svc", "events-svc", "ads-svc");

/**
 * Only the gateway may ask whose a credential is; events-svc, which meters scheduled calls, may ask for a Project Client's limits; every
 * service may ask which Project Clients are disabled and which are told of platform events.
 */
export const authenticationGuard: CallGuard = (method, call) => {
  if (method.localName === "listDisabledProjectClients" || method.localName === "listPlatformEventClients") {
    return fromServices(method, call);
  }
  return (method.localName === "getProjectClient" ? fromGatewayOrMeter : fromGateway)(method, call);
};
