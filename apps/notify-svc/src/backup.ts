import { runBackup } from "@platform/service-kit/service/backup";
import { readMigrationConfig } from "./config.ts";
import { storage } from "./storage.ts";

await runBackup(readMigrationConfig(process.env), storage);
