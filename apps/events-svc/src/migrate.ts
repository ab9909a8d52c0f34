import { runMigration } from "@platform/kit/service/storage";
import { readMigrationConfig } from "./config.ts";
import { storage } from "./storage.ts";

await runMigration(() => readMigrationConfig(process.env), storage);
