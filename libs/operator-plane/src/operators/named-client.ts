import type { DescMessage } from "@bufbuild/protobuf";
import { ServiceError } from "@platform/kit/rpc/errors";

/** Returns the Project Client that a request names; "" if it names none. */
export type NamedClient = (request: object) => string;

/**
 * Returns a function that reads the Project Client that a request names: in a field of its own, in a field of its
 * filter, or as the only element of a list. A list with several clients is a search among clients that the caller
 * already knows.
 * @returns null for requests without such a field
 */
export function namedClientOf(schema: DescMessage): NamedClient | null {
  for (const field of schema.fields) {
    const read = (request: object): unknown => Reflect.get(request, field.localName);
    if (field.name === "project_client_id" || field.name === "client_id")
      return (request) => String(read(request) ?? "");
    if (field.name === "project_client_ids")
      return (request) => {
        const ids = read(request) as readonly string[];
        return ids.length === 1 ? (ids[0] ?? "") : "";
      };
    if (field.name === "filter" && field.fieldKind === "message") {
      const within = namedClientOf(field.message);
      if (within !== null) return (request) => within((read(request) as object | undefined) ?? {});
    }
  }
  return null;
}

/**
 * Creates the error for a Project Client that does not exist, and for one whose existence the caller must not learn.
 */
export const noSuchClient = (): ServiceError =>
  new ServiceError("project_client_not_found", "There is no such Project Client.");
