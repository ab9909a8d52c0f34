import { enableCompileCache } from "node:module";
import { compileCache } from "./compile-cache.ts";

// Must run before anything else is loaded, so that a later start does not have to compile.
enableCompileCache(compileCache);
await import("./run-stack.ts");
