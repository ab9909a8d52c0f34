import { runBackup } from "@platform/backup/run-backup";
import { readBackupConfig } from "./config.ts";
import { storage } from "./storage.ts";

await runBackup(() => readBackupConfig(process.env), storage);
