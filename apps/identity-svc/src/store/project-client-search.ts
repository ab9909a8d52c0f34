import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { collectionOf, type Page, type PageRequest } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import type { Environment } from "../domain/environment.ts";
import type { ProjectClient } from "../domain/project-client.ts";

/** Filter for Project Clients; null matches everything. */
export type ProjectClientFilter = {
  /** A part of the client's name, or its id. */
  readonly text: string | null;
  readonly environment: Environment | null;
  readonly isDisabled: boolean | null;
};

/** Sorts by creation, newest first, or by name. */
export type ProjectClientSort = "created" | "name";

/** A Project Client, and the time at which one of its credentials was last used. */
export type FoundProjectClient = { readonly client: ProjectClient; readonly lastSeenAt: Date | null };

type Stored = Omit<ProjectClient, "id"> & { readonly _id: string };
type Cursor = { readonly name: string; readonly id: string };

const [limitDefault, limitMax] = [50, 200];

/** Searches Project Clients for operators, in collections whose models other stores have created. */
export function createProjectClientSearch(connection: Connection) {
  const clients = () => collectionOf(connection.model<Stored>("ProjectClient"));
  const credentials = () =>
    collectionOf(
      connection.model<{ _id: string; project_client_id: string; last_used_at: Date | null }>("ProjectCredential"),
    );

  /**
   * For each client, the time at which one of its credentials was last used. It is computed from the credentials,
   * because a client has few of them and an index finds them.
   */
  async function lastSeen(ids: readonly string[]): Promise<Map<string, Date>> {
    const used = await credentials()
      .find({ project_client_id: { $in: [...ids] } }, { projection: { project_client_id: 1, last_used_at: 1 } })
      .toArray();
    const latest = new Map<string, Date>();
    for (const { project_client_id: id, last_used_at: at } of used) {
      const known = latest.get(id);
      if (at != null && (known === undefined || at > known)) latest.set(id, at);
    }
    return latest;
  }

  return {
    /**
     * A page of the clients that match, without erased ones, and the number of all that match. The number is 0 unless
     * it is wanted, because counting reads all clients.
     */
    find: async (
      filter: ProjectClientFilter,
      sort: ProjectClientSort,
      { limit, cursor }: PageRequest,
      { isTotalWanted }: { readonly isTotalWanted: boolean },
    ): Promise<Page<FoundProjectClient> & { readonly total: number }> => {
      if (limit > limitMax) throw refusal("/limit", "out_of_range", `at most ${limitMax}`);
      const count = limit === 0 ? limitDefault : limit;
      const conditions = conditionsOf(filter);
      const after = cursor === "" ? {} : beyond(sort, readCursor(cursor));
      const [found, total] = await Promise.all([
        clients()
          .find({ $and: [conditions, after] })
          .sort(sort === "name" ? { name: 1, _id: 1 } : { _id: -1 })
          .limit(count + 1)
          .toArray(),
        isTotalWanted ? clients().countDocuments(conditions) : 0,
      ]);
      const page = found.slice(0, count);
      const seen = await lastSeen(page.map(({ _id }) => _id));
      const last = found.length > count ? page.at(-1) : undefined;
      return {
        items: page.map(({ _id: id, ...rest }) => ({ client: { id, ...rest }, lastSeenAt: seen.get(id) ?? null })),
        nextCursor: last === undefined ? "" : cursorOf({ name: last.name, id: last._id }),
        total,
      };
    },
  };
}

function conditionsOf({ text, environment, isDisabled }: ProjectClientFilter): Record<string, unknown> {
  return {
    erased: { $ne: true },
    ...(text === null
      ? {}
      : isUuid(text)
        ? { _id: text.toLowerCase() }
        : { name: { $regex: escaped(text), $options: "i" } }),
    ...defined({ environment }),
    ...(isDisabled === null ? {} : { disabled_at: isDisabled ? { $gt: new Date(0) } : null }),
  };
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

const beyond = (sort: ProjectClientSort, { name, id }: Cursor): Record<string, unknown> =>
  sort === "created"
    ? { _id: { $lt: id } }
    : { name: { $gte: name }, $or: [{ name: { $gt: name } }, { _id: { $gt: id } }] };

const cursorOf = ({ name, id }: Cursor): string => Buffer.from(`${id} ${name}`).toString("base64url");

function readCursor(cursor: string): Cursor {
  const [, id, name] = /^([0-9a-f-]{36}) (.*)$/su.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (id === undefined || name === undefined) throw refusal("/cursor", "invalid_format", "not a cursor of this list");
  return { id, name };
}

function refusal(path: string, code: "out_of_range" | "invalid_format", message: string): ServiceError {
  return new ServiceError("contract_violation", "The request violates the contract; details.violations lists where.", {
    details: { violations: [{ path, code, message }] },
  });
}
