import { migrate } from "@platform/service-kit/service/migrate";
import { readWorkerConfig } from "./config.ts";
import { createAdsStore } from "./store/ads-store.ts";

await migrate(readWorkerConfig(process.env), createAdsStore);
