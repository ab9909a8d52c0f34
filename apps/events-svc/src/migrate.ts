import { migrate } from "@platform/service-kit/service/migrate";
import { readWorkerConfig } from "./config.ts";
import { eventsModels } from "./store/models.ts";

await migrate(readWorkerConfig(process.env), eventsModels);
