import { buildIndexes, connectMongo } from "@platform/service-kit/mongo/connect";
import { readWorkerConfig } from "./config.ts";
import { createStores } from "./store/create-stores.ts";

const mongo = await connectMongo(readWorkerConfig(process.env).mongodb);
createStores(mongo);
await buildIndexes(mongo);
await mongo.close();
