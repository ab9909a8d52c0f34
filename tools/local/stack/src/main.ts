import { enableCompileCache } from "node:module";
import { compileCache } from "./compile-cache.ts";

// This must run before any other module is loaded, so that later starts need not compile the sources again.
enableCompileCache(compileCache);
await import("./run-stack.ts");
