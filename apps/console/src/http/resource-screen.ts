import type { DescField } from "@bufbuild/protobuf";
import { capitalize, nextField, type Operation, type Resource } from "@platform/contracts/operator/resource";
import { columnValue, keyOf } from "@platform/contracts/operator/row-values";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { isLookup } from "@platform/operator-plane/operators";
import { actionLinks } from "./action.ts";
import { PageProblem } from "./page-problem.ts";
import { copyable, facts, idLink } from "./pages/elements.ts";
import type { Page } from "./pages/layout.ts";
import { formFields, requestField, requestOf } from "./resource-form.ts";
import { columnOf, factsOf, type Row, titleOf, valueHtml } from "./resource-row.ts";
import type { Action, Filters, Listing, Screen } from "./screen.ts";
import type { Visit } from "./visit.ts";

/** Parts of a resource's pages that the table does not describe. */
type OwnParts = {
  /** Shown above the links that create one. */
  readonly above?: (visit: Visit, filters: Filters) => HtmlValue;
  readonly plots?: Listing<Row>["plots"];
  /** Finds the one that the path names, where no RPC reads one; the address then names its client too. */
  readonly read?: Reader;
  /** The page of one beneath the links to its acts; without it `rowFacts`. */
  readonly show?: (visit: Visit, row: never) => Promise<HtmlValue>;
};

/** The list, the page of one, and the forms of a resource of the operator table. */
export function screenOf(resource: Resource, own: OwnParts = {}): Screen {
  const { name, paths, operations } = resource;
  const list = operationOf(resource, "list");
  const read = readerOf(resource, own);
  if (read === null && operations.some(({ does }) => does === "act"))
    throw new Error(`${name} has acts, but neither an operation that shows one nor a part that reads one`);
  const actions = new Map(
    operations
      .filter(({ does }) => does === "create" || does === "act")
      .map((operation) => [operation, actionOf(resource, operation, read)]),
  );
  const created = [...actions].filter(([{ does }]) => does === "create").map(([, action]) => action);
  const offered = ({ status }: Row): Action[] =>
    [...actions].flatMap(([{ does, offeredIn }, action]) =>
      does === "act" && (offeredIn?.includes(String(status)) ?? true) ? [action] : [],
    );
  const page = async (visit: Visit, row: Row): Promise<Page> => ({
    title: titleOf(resource, row),
    crumbs: crumbsOf(resource, row).slice(0, 1),
    ...(isOfClient(list) ? { clientId: String(row.projectClientId) } : {}),
    body: html`${actionLinks(visit, offered(row), String(row.id), clientQuery(resource, row))}
${own.show === undefined ? rowFacts(resource, row) : await own.show(visit, row as never)}`,
  });
  const method = (operations.find(({ does }) => does === "show") ?? list).rpc;
  return {
    lists: [listOf(resource, list, created, own)],
    actions: [...actions.values()],
    views:
      read === null
        ? []
        : [{ path: `${paths.one}/:id`, method, show: async (visit) => page(visit, await read(visit)) }],
  };
}

/** Reads the one that the path names. */
type Reader = (visit: Visit) => Promise<Row>;

/** Reads one by the RPC that shows it, else by the screen's own part; null for a resource whose rows stand on the list alone. */
function readerOf({ noun, subject, operations }: Resource, own: OwnParts): Reader | null {
  const show = operations.find(({ does }) => does === "show");
  if (show === undefined) return own.read ?? null;
  return async (visit) => {
    const answer = (await visit.ask(show.rpc, { [subject.field]: visit.param("id") })) as unknown as Row;
    const row = answer[show.reply ?? ""];
    if (row === undefined) throw new PageProblem(404, "There is nothing here", `There is no such ${noun}.`);
    return row as Row;
  };
}

/** The id of one and the columns of its page, as a list of titles and values. */
export function rowFacts(resource: Resource, row: Row): HtmlValue {
  return html`<section aria-label="${capitalize(resource.noun)}">${facts([
    ["Id", copyable(String(row.id))],
    ...factsOf(resource, resource.shown.page, row),
  ])}</section>`;
}

function operationOf({ name, operations }: Resource, does: Operation["does"]): Operation {
  const found = operations.find((operation) => operation.does === does);
  if (found === undefined) throw new Error(`${name} has no operation that does ${does}`);
  return found;
}

const isOfClient = ({ fields }: Operation): boolean =>
  fields.some(({ offers, isRequired }) => offers === "clients" && isRequired === true);

function listOf(resource: Resource, list: Operation, created: readonly Action[], own: OwnParts): Listing<Row> {
  const { row: schema, shown, title, paths, above } = resource;
  const { rpc, reply, always = {}, fields, empty = "There is none." } = list;
  const clients = fields.find(({ offers }) => offers === "clients");
  // A filter is part of the URL, which must not hold a person's address or name.
  const filters = fields.filter((field) => field !== clients && !isLookup(rpc.input.field[field.field] as DescField));
  return {
    path: paths.list,
    title,
    method: rpc,
    isOfClient: isOfClient(list),
    filters: filters.map((field) => requestField(field, true)),
    ...(above === undefined ? {} : { crumbs: [above] }),
    columns: shown.list.map((field) => {
      const column = columnOf(resource, field);
      return {
        key: keyOf(schema, column),
        title: column.title,
        value: (row) => {
          const value = columnValue(column, row as never);
          return value === null || typeof value === "number" || typeof value === "string" ? value : textOf(value);
        },
        cell: (row) =>
          field === resource.named ? idLink(paths.one, String(row.id), titleOf(resource, row)) : valueHtml(column, row),
      };
    }),
    read: async (visit, given, { limit, cursor }) => {
      const next = nextField(list);
      const answer = (await visit.ask(rpc, {
        ...always,
        ...(isOfClient(list) ? { [clients?.field ?? ""]: given.client ?? "" } : {}),
        ...requestOf(filters, (name) => given[name] ?? ""),
        ...(next === null ? {} : { limit, [next]: cursor }),
      })) as unknown as Row;
      const rows = (answer[reply ?? ""] ?? []) as readonly Row[];
      const lastId = next === null || rows.length < limit ? "" : String(rows.at(-1)?.id ?? "");
      return { rows, nextCursor: next === "cursor" ? String(answer.nextCursor ?? "") : lastId };
    },
    empty,
    above: async (visit, given) => {
      const query = isOfClient(list) ? `?client=${encodeURIComponent(given.client ?? "")}` : "";
      return html`${own.above?.(visit, given)}${actionLinks(visit, created, "", query)}`;
    },
    ...(own.plots === undefined ? {} : { plots: own.plots }),
  };
}

const textOf = (value: boolean | readonly string[]): string =>
  typeof value === "boolean" ? String(value) : value.join(" ");

/** The list and the page of one, outermost first. */
function crumbsOf(resource: Resource, row: Row): [string, string][] {
  return [
    [resource.title, listAddress(resource, String(row.projectClientId ?? ""))],
    [titleOf(resource, row), addressOf(resource, row)],
  ];
}

const addressOf = (resource: Resource, row: Row): string =>
  `${resource.paths.one}/${row.id}${clientQuery(resource, row)}`;

/** What a URL needs in addition to the id of one: its client, where no RPC reads one. */
function clientQuery({ operations }: Resource, { projectClientId }: Row): string {
  const isReadable = operations.some(({ does }) => does === "show");
  return isReadable || projectClientId === undefined ? "" : `?client=${encodeURIComponent(String(projectClientId))}`;
}

function listAddress(resource: Resource, clientId: string): string {
  const query = isOfClient(operationOf(resource, "list")) ? `?client=${encodeURIComponent(clientId)}` : "";
  return `${resource.paths.list}${query}`;
}

/** The form of an operation, and where its sender is led. @param read null where one has no page */
function actionOf(resource: Resource, operation: Operation, read: Reader | null): Action {
  const { paths, shown, subject, noun } = resource;
  const { verb, rpc, does, summary, fields, always = {}, reply, title, button } = operation;
  const isNew = does === "create";
  const rowOf = async (visit: Visit): Promise<Row | null> => (isNew || read === null ? null : read(visit));
  return {
    path: isNew ? `${paths.list}/new` : `${paths.one}/:id/${verb}`,
    title,
    button,
    method: rpc,
    ...(operation.isDanger === true ? { isDanger: true } : {}),
    ...(operation.isOnce === true ? { isOnce: true } : {}),
    describe: async (visit) => {
      const row = await rowOf(visit);
      if (row === null)
        return {
          crumbs: [[resource.title, listAddress(resource, visit.query("client"))]],
          what: html`<p>${summary}</p>`,
        };
      return {
        crumbs: crumbsOf(resource, row),
        what: html`<p>${summary}</p>${facts(factsOf(resource, shown.question, row))}`,
      };
    },
    fields: async (visit) => {
      const present = fields.some((field) => field.present !== undefined) ? await rowOf(visit) : null;
      return formFields(visit, fields, present);
    },
    run: async (visit, options) => {
      // An act whose reply has no row removes it, so that only the row before knows which list it was on.
      const removed = reply === null ? await rowOf(visit) : null;
      const request = { ...always, ...requestOf(fields, (name) => visit.field(name)) };
      if (!isNew) request[subject.field] = visit.param("id");
      const answer = (await visit.ask(rpc, request, options)) as unknown as Row;
      const after = answer[reply ?? ""] as Row | undefined;
      const one: Row = { ...after, id: isNew ? (after?.id ?? "") : visit.param("id") };
      const listed = removed ?? (read === null ? one : null);
      return {
        redirect:
          listed === null ? addressOf(resource, one) : listAddress(resource, String(listed.projectClientId ?? "")),
        notice: operation.notice ?? `The ${noun} has changed.`,
      };
    },
  };
}
