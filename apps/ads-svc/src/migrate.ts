import { readWorkerConfig } from "./config.ts";
import { openAdsStore } from "./store/ads-store.ts";

// The migration step of a deployment: builds the indexes and exits.
const { mongo } = readWorkerConfig(process.env);
const store = await openAdsStore({ ...mongo, autoIndex: true });
await store.close();
