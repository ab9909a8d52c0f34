import { enableCompileCache } from "node:module";
import { compileCache } from "./compile-cache.ts";

// Before anything else is loaded, so that a later start compiles nothing.
enableCompileCache(compileCache);
await import("./run-stack.ts");
