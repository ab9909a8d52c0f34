import { buildIndexes, connectMongo } from "@platform/service-kit/mongo/connect";
import { readEventsWorkerConfig } from "./config.ts";
import { eventsModels } from "./store/models.ts";

// Builds the indexes and exits; run before a new release is rolled out, where MONGODB_AUTO_INDEX is off.
const { mongo } = readEventsWorkerConfig(process.env, 0);
const connection = await connectMongo(mongo);
eventsModels(connection);
await buildIndexes(connection);
await connection.close();
