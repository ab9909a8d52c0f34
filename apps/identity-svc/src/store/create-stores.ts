import type { Connection } from "mongoose";
import { createPlatformSessionStore } from "./platform-sessions.ts";
import { createProjectClientStore } from "./project-clients.ts";
import { createProjectCredentialStore } from "./project-credentials.ts";

/** Every store of the service on one connection; having them all is what makes `buildIndexes` complete. */
export function createStores(connection: Connection) {
  return {
    clients: createProjectClientStore(connection),
    credentials: createProjectCredentialStore(connection),
    sessions: createPlatformSessionStore(connection),
  };
}

export type Stores = ReturnType<typeof createStores>;
