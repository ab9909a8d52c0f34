import { callerGuard, type Guard } from "@platform/kit/rpc/server";
import { otherServices } from "./other-services.ts";

const fromGateway = callerGuard("gateway");
const fromGatewayOrMeter = callerGuard("gateway", "events-svc");
const fromServices = callerGuard("gateway", ...otherServices);

const forServices: readonly string[] = ["checkProjectClient", "listDisabledProjectClients", "listPlatformEventClients"];

/**
 * Only the gateway may authenticate credentials. events-svc, which meters scheduled calls, may read a Project Client's
 * limits. Every service may read whether a Project Client exists, which clients are disabled and which have platform
 * events turned on.
 */
export const authenticationGuard: Guard = (method, call) => {
  if (forServices.includes(method.localName)) return fromServices(method, call);
  return (method.localName === "getProjectClient" ? fromGatewayOrMeter : fromGateway)(method, call);
};
