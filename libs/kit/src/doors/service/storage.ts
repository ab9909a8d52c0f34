/** The storage of a service, for migrations and backups. */
export { runMigration } from "../../service/migrate.ts";
export { openStorage, type ServiceStorage, storageProblems } from "../../service/storage.ts";
