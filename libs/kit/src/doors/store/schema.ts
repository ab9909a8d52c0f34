/** The database connection, its indexes, migrations and sharding. */
export { connectMongo, type MongoConnection, type MongoModel, offlineConnection } from "../../store/connect.ts";
export { runDataMigrations } from "../../store/data-migrations.ts";
export { createPutOffStore, putOffCollection } from "../../store/put-off-work.ts";
export { isReadLimitError, withReadLimit } from "../../store/read-limit.ts";
export { resealAll } from "../../store/reseal.ts";
export { buildIndexes, noteSchema, revisionsCollection } from "../../store/schema.ts";
export { kitSharding, type Sharding } from "../../store/sharding.ts";
