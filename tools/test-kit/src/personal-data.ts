import { openStorage, type ServiceStorage } from "@platform/kit/service/storage";
import { offlineConnection } from "@platform/kit/store/schema";

/** A connection of mongoose with its models. */
type Models = {
  readonly models: Readonly<
    Record<string, { readonly collection: { readonly collectionName: string }; readonly schema: Schema }>
  >;
};
type Schema = { readonly paths: Readonly<Record<string, { readonly schema?: Schema }>> };

/** The classification of stored paths: for each collection, the paths of each class in one text, separated by spaces. */
export type PersonalData = Readonly<
  Record<
    string,
    {
      /** May name a person; erasure removes it. */
      readonly erased?: string;
      /** May name a person; it is stored encrypted, and erasure or a few minutes remove its key or the value itself. */
      readonly sealed?: string;
      /** Paths without a reference to a person: ids, states, times, hashes, settings, and the project's own data. */
      readonly notPersonal?: string;
    }
  >
>;

/** Lists every path of a connection's models in the form `collection.path`, sorted. */
function modelPaths({ models }: Models): string[] {
  const pathsOf = ({ paths }: Schema, prefix: string): string[] =>
    Object.entries(paths).flatMap(([name, path]) =>
      path.schema === undefined ? [`${prefix}.${name}`] : pathsOf(path.schema, `${prefix}.${name}`),
    );
  return Object.values(models)
    .flatMap(({ collection, schema }) => pathsOf(schema, collection.collectionName))
    .sort();
}

/**
 * Compares what a service stores with its classification. The classification of a path also applies to the paths below it.
 * @returns stored paths without a classification, and classified paths that are not stored
 */
export function comparePersonalData(
  storage: ServiceStorage,
  listed: PersonalData,
): { unlisted: string[]; unknown: string[] } {
  const connection = offlineConnection();
  openStorage(storage, connection, { current: new Uint8Array(32), previous: [] });
  const stored = modelPaths(connection);
  const said = Object.entries(listed).flatMap(([collection, { erased = "", sealed = "", notPersonal = "" }]) =>
    [erased, sealed, notPersonal]
      .join(" ")
      .split(/\s+/)
      .filter((path) => path !== "")
      .map((path) => `${collection}.${path}`),
  );
  const covers = (path: string, other: string): boolean => other === path || other.startsWith(`${path}.`);
  return {
    unlisted: stored.filter((path) => !said.some((each) => covers(each, path))),
    unknown: said.filter((path) => !stored.some((each) => covers(path, each))),
  };
}

/** Collections of the kit and the operator plane; a service has some of them. */
export const platformCollections = {
  put_off_work: { notPersonal: "_id sweep item attempts since due_at" },
  usage_counts: { notPersonal: "_id project_client_id kind hour count reports" },
  retention_settings: { notPersonal: "_id project_client_id kind days" },
  // The recorded requests and reasons contain hashes instead of addresses. `who` and `name` identify operators, and not people of projects.
  operator_actions: {
    notPersonal:
      "_id at who name roles via asked_by rpc method client_id resource reason correlation_id outcome error request_json settle_by unchained_since put_off_until",
  },
} as const satisfies PersonalData;
