import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import type { Backend, Caller } from "./backend.ts";

/** A Project Client as lists show it. */
export type NamedClient = Pick<ProjectClient, "id" | "name" | "environment" | "disabled">;

export type Clients = ReturnType<typeof createClients>;

const keptMs = 3_000;
const pageSize = 500;
/** Maximum number of clients whose names pages can show. Pages show the ids of any other clients. */
const clientsMax = 5_000;

/**
 * Creates a cache of the Project Clients with their names, which every page shows. Every role may list them, so
 * everyone shares one list for a short time.
 */
export function createClients(backend: Backend, now: () => number = () => performance.now()) {
  let known: { readonly list: Promise<readonly NamedClient[]>; readonly untilMs: number } | null = null;
  const read = async (caller: Caller): Promise<readonly NamedClient[]> => {
    const all: NamedClient[] = [];
    for (let afterId = ""; all.length < clientsMax; ) {
      const { projectClients } = await backend.ask(
        ProjectClientAdminService.method.listProjectClients,
        { afterId, pageSize, namesOnly: true },
        caller,
      );
      all.push(...projectClients);
      afterId = projectClients.at(-1)?.id ?? "";
      if (projectClients.length < pageSize) break;
    }
    return all;
  };
  return {
    list: (caller: Caller): Promise<readonly NamedClient[]> => {
      if (known !== null && known.untilMs > now()) return known.list;
      const list = read(caller);
      known = { list, untilMs: now() + keptMs };
      list.catch(() => {
        known = null;
      });
      return list;
    },
    /** Removes the cached names after a change, so that the next page shows it. */
    forget: (): void => {
      known = null;
    },
  };
}
