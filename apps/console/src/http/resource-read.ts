import {
  nextField,
  type Operation,
  type Resource,
  requestWith,
  subjectOf,
} from "@platform/contracts/operator/resource";
import { rowIn } from "@platform/contracts/operator/row-values";
import type { AskOptions } from "../calls/backend.ts";
import { PageProblem } from "./page-problem.ts";
import { idOf, type Row } from "./resource-row.ts";
import type { Visit } from "./visit.ts";

/** Maximum number of pages of a list that are searched for one resource, and number of rows per page. */
const foundPagesMax = 50;
const foundPageSize = 200;

/** The resource that a path names, and the reply that contains it. */
export type Found = { readonly row: Row; readonly answer: Row };

/** Reads a resource. @param reveal present if personal data is shown unmasked; contains the reason */
export type Reader = (visit: Visit, reveal?: AskOptions) => Promise<Found>;

/** Returns the function that reads a resource by the RPC that shows it, or else finds it in the list. */
export function readerOf(resource: Resource): Reader {
  const { noun, operations } = resource;
  const show = operations.find(({ does }) => does === "show");
  return async (visit, reveal) => {
    const none = new PageProblem(404, "There is nothing here", `This ${noun} does not exist.`);
    if (show === undefined) {
      const found = await findListed(resource, visit);
      if (found === null) throw none;
      return found;
    }
    const asked = { [subjectOf(resource).field]: visit.param("id"), ...(reveal === undefined ? {} : { reveal: true }) };
    const answer = (await visit.ask(show.rpc, asked, reveal)) as unknown as Row;
    const row = rowIn(show, answer);
    if (row === undefined) throw none;
    return { row: row as Row, answer };
  };
}

/** Finds the resource that the path names among those of the client in the address, or of all clients. */
async function findListed(resource: Resource, visit: Visit): Promise<Found | null> {
  const list = operationOf(resource, "list");
  const next = nextField(list);
  const given = visit.query("client");
  const ids = given === "" && isOfClient(list) ? (await visit.projectClients()).map(({ id }) => id) : [given];
  for (const client of ids) {
    for (let cursor = "", page = 0; page < foundPagesMax; page += 1) {
      const asked = requestWith(list, client === "" ? {} : { [clientFieldOf(list)]: client });
      const paged = next === null ? {} : { limit: foundPageSize, [next]: cursor };
      const answer = (await visit.ask(list.rpc, { ...asked, ...paged })) as unknown as Row;
      const rows = rowIn(list, answer) as readonly Row[];
      const row = rows.find((each) => idOf(resource, each) === visit.param("id"));
      if (row !== undefined) return { row, answer };
      cursor = nextCursorOf(resource, list, answer, foundPageSize);
      if (cursor === "") break;
    }
  }
  return null;
}

/** Returns the first operation of a kind. */
export function operationOf({ name, operations }: Resource, does: Operation["does"]): Operation {
  const found = operations.find((operation) => operation.does === does);
  if (found === undefined) throw new Error(`${name} has no operation that does ${does}`);
  return found;
}

/** Returns whether a list is limited to one Project Client, which must be given. */
export const isOfClient = ({ fields }: Operation): boolean =>
  fields.some(({ offers, isRequired }) => offers === "clients" && isRequired === true);

/** Returns whether a list shows one Project Client if one is chosen, and all clients otherwise. */
export const isOfAnyClient = ({ fields }: Operation): boolean =>
  fields.some(({ offers, isRequired }) => offers === "clients" && isRequired !== true);

/** Returns the name of the field for the Project Client in a list's request. */
export const clientFieldOf = ({ fields }: Operation): string =>
  fields.find(({ offers }) => offers === "clients")?.field ?? "";

/** Returns the cursor of the next page; empty if this page is the last one. */
export function nextCursorOf(resource: Resource, list: Operation, answer: Row, limit: number): string {
  const rows = (rowIn(list, answer) ?? []) as readonly Row[];
  const last = rows.at(-1);
  if (nextField(list) === "cursor") return String(answer.nextCursor ?? "");
  return nextField(list) === null || rows.length < limit || last === undefined ? "" : idOf(resource, last);
}
