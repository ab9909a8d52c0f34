import { runMigration } from "@platform/service-kit/service/migrate";
import { readMigrationConfig } from "./config.ts";
import { storage } from "./storage.ts";

await runMigration(() => readMigrationConfig(process.env), storage);
