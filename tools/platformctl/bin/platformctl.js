#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Commands are short: keeping what was compiled halves their start.
enableCompileCache();
await import("../src/main.ts");
