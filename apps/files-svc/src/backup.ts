import { runBackup } from "@platform/service-kit/service/backup";
import { readBackupConfig } from "./config.ts";
import { storage } from "./storage.ts";

await runBackup(() => readBackupConfig(process.env), storage);
