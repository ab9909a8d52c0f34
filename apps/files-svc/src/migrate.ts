import { migrate } from "@platform/service-kit/service/migrate";
import { readWorkerConfig } from "./config.ts";
import { registerModels } from "./open-files-context.ts";

await migrate(readWorkerConfig(process.env), registerModels);
