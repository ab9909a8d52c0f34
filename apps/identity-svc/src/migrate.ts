import { migrate } from "@platform/service-kit/service/migrate";
import { readWorkerConfig } from "./config.ts";
import { createStores } from "./store/create-stores.ts";

await migrate(readWorkerConfig(process.env), createStores);
