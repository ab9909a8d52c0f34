import type { DescField } from "@bufbuild/protobuf";
import { nextField, type Operation, type Resource } from "@platform/contracts/operator/resource";
import { columnValue, keyOf } from "@platform/contracts/operator/row-values";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { isLookup } from "@platform/operator-plane/operators";
import { actionLinks } from "./action.ts";
import { PageProblem } from "./page-problem.ts";
import { copyable, facts, idLink } from "./pages/elements.ts";
import type { Page } from "./pages/layout.ts";
import { formFields, readForm, requestField } from "./resource-form.ts";
import { columnOf, factsOf, type Row, titleOf, valueHtml } from "./resource-row.ts";
import type { Action, Filters, Listing, Screen } from "./screen.ts";
import type { Visit } from "./visit.ts";

/** Parts of a resource's pages that the table does not describe. */
type OwnParts = {
  /** What stands above the list. */
  readonly above?: (visit: Visit, filters: Filters) => HtmlValue;
  readonly plots?: Listing<Row>["plots"];
  /** Finds the one that the path names, where no RPC reads one; the address names the client besides. */
  readonly read?: (visit: Visit) => Promise<Row>;
  /** The page of one, where the table says `view: "own"`: what stands beneath the links to what can be done. */
  readonly show?: (visit: Visit, row: never) => Promise<HtmlValue>;
};

/** The list, the page of one, and the forms of a resource of the operator table. */
export function screenOf(resource: Resource, own: OwnParts = {}): Screen {
  const { paths, operations, noun, subject } = resource;
  const show = operations.find(({ does }) => does === "show");
  const list = operationOf(resource, "list");
  // What is made and has no page of its own is found on the list.
  const hasPage = show !== undefined || own.read !== undefined;
  const readOne = async (visit: Visit): Promise<Row> => {
    if (show === undefined) {
      if (own.read === undefined)
        throw new Error(`${resource.name} has neither an operation that shows one nor a part that reads one`);
      return own.read(visit);
    }
    const reply = (await visit.ask(show.rpc, { [subject.field]: visit.param("id") })) as unknown as Row;
    const row = reply[show.reply ?? ""];
    if (row === undefined) throw new PageProblem(404, "There is nothing here", `There is no such ${noun}.`);
    return row as Row;
  };
  const actions = new Map(
    operations
      .filter(({ does }) => does === "create" || does === "act")
      .map((operation) => [operation, actionOf(resource, operation, readOne, hasPage)]),
  );
  const created = [...actions].filter(([{ does }]) => does === "create").map(([, action]) => action);
  const offered = ({ status }: Row): Action[] =>
    [...actions].flatMap(([{ does, offeredIn }, action]) =>
      does === "act" && (offeredIn?.includes(String(status)) ?? true) ? [action] : [],
    );
  const page = async (visit: Visit): Promise<Page> => {
    const row = await readOne(visit);
    const isOwn = show?.view === "own" && own.show !== undefined;
    return {
      title: titleOf(resource, row),
      crumbs: crumbsOf(resource, row).slice(0, 1),
      ...(isOfClient(list) ? { clientId: String(row.projectClientId) } : {}),
      body: html`${actionLinks(visit, offered(row), String(row.id), clientQuery(resource, row))}
${isOwn ? await own.show?.(visit, row as never) : rowFacts(resource, row)}`,
    };
  };
  return {
    lists: [listOf(resource, list, created, own)],
    actions: [...actions.values()],
    views:
      show === undefined && own.read === undefined
        ? []
        : [{ path: `${paths.one}/:id`, method: (show ?? list).rpc, show: page }],
  };
}

/** What is known of one, as a list of names and values. */
export function rowFacts(resource: Resource, row: Row): HtmlValue {
  return html`<section aria-label="${capital(resource.noun)}">${facts([
    ["Id", copyable(String(row.id))],
    ...factsOf(
      resource,
      resource.shown.page.filter((field) => field !== "id"),
      row,
    ),
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
  // A filter stands in the address, where no address of a person and no name of theirs may be.
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
        ...readForm(filters, (name) => given[name] ?? ""),
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

/** What an address needs besides the id of one: its client, where no RPC reads one. */
function clientQuery({ operations }: Resource, { projectClientId }: Row): string {
  const isReadable = operations.some(({ does }) => does === "show");
  return isReadable || projectClientId === undefined ? "" : `?client=${encodeURIComponent(String(projectClientId))}`;
}

function listAddress(resource: Resource, clientId: string): string {
  const query = isOfClient(operationOf(resource, "list")) ? `?client=${encodeURIComponent(clientId)}` : "";
  return `${resource.paths.list}${query}`;
}

/** The form of an operation, and what follows when it is sent. */
function actionOf(
  resource: Resource,
  operation: Operation,
  readOne: (visit: Visit) => Promise<Row>,
  hasPage: boolean,
): Action {
  const { paths, shown, subject, noun } = resource;
  const { verb, rpc, does, summary, fields, always = {}, reply, title, button } = operation;
  const isNew = does === "create";
  const rowOf = (visit: Visit): Promise<Row | null> => (isNew ? Promise.resolve(null) : readOne(visit));
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
      const isGone = !isNew && reply === null;
      const before = isGone ? await readOne(visit) : null;
      const request = { ...always, ...readForm(fields, (name) => visit.field(name)) };
      if (!isNew) request[subject.field] = visit.param("id");
      const answer = (await visit.ask(rpc, request, options)) as unknown as Row;
      const after = answer[reply ?? ""] as Row | undefined;
      const one: Row = { ...after, id: isNew ? (after?.id ?? "") : visit.param("id") };
      const listed = before ?? (hasPage ? null : one);
      return {
        redirect:
          listed === null ? addressOf(resource, one) : listAddress(resource, String(listed.projectClientId ?? "")),
        notice: operation.notice ?? `The ${noun} has changed.`,
      };
    },
  };
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
