/** What a service keeps, as migrations and backups see it. What other packages may import; a module without a line here is the package's own. */
export { runMigration } from "../../service/migrate.ts";
export { openStorage, type ServiceStorage, storageProblems } from "../../service/storage.ts";
