import type { Part } from "@platform/kit/process/run";
import { readConfig } from "./config.ts";
import { createConsole } from "./create-console.ts";

/** The console as a part of a process that runs the whole platform. */
export const part: Part = { name: "console", start: (env, overrides) => createConsole(readConfig(env), overrides) };
