import { serviceCallers } from "@platform/kit/rpc/server";

/** Every service except this one: each asks for operators' keys, for erasures, and whether a Project Client exists. */
export const otherServices = serviceCallers.filter((name) => name !== "identity-svc");
