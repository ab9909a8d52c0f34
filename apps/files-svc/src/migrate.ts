import { buildIndexes, connectMongo } from "@platform/service-kit/mongo/connect";
import { readWorkerConfig } from "./config.ts";
import { registerModels } from "./open-files-context.ts";

// Builds the indexes and ends. Run before a release that needs them, where MONGODB_AUTO_INDEX is off.
const { mongo } = readWorkerConfig(process.env);
const connection = await connectMongo(mongo);
registerModels(connection);
await buildIndexes(connection);
await connection.close();
