import type { Part } from "@platform/kit/process/run";
import { readConfig } from "./config.ts";
import { createGateway } from "./create-gateway.ts";

/** The gateway as a part of a process that runs the whole platform. */
export const part: Part = { name: "gateway", start: (env, overrides) => createGateway(readConfig(env), overrides) };
