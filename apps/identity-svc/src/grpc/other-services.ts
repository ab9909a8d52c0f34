import { serviceCallers } from "@platform/kit/rpc/server";

/**
 * Every service except this one. Each of them requests operators' keys, erasures, and whether a Project Client exists.
 */
export const otherServices = serviceCallers.filter((name) => name !== "identity-svc");
