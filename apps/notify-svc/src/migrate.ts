import { buildIndexes, connectMongo } from "@platform/service-kit/mongo/connect";
import { readWorkerConfig } from "./config.ts";
import { createStores } from "./store/stores.ts";

const config = readWorkerConfig(process.env);
const connection = await connectMongo(config.mongo);
createStores(connection, config.keyring);
await buildIndexes(connection);
await connection.close();
