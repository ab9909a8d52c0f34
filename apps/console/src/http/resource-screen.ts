import type { DescField } from "@bufbuild/protobuf";
import { nameOf } from "@platform/contracts/operator/column";
import {
  capitalize,
  nextField,
  type Operation,
  type Resource,
  requestWith,
  subjectOf,
} from "@platform/contracts/operator/resource";
import { cellValue, keyOf, rowIn } from "@platform/contracts/operator/row-values";
import { defined } from "@platform/kit/process/fields";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { isLookup } from "@platform/operator-plane/operators";
import { actionLinks } from "./action.ts";
import { copyable, facts } from "./pages/elements.ts";
import type { Page } from "./pages/layout.ts";
import { findsOf } from "./resource-find.ts";
import { formFields, postedRevision, requestField, requestOf, revisionField } from "./resource-form.ts";
import {
  clientFieldOf,
  type Found,
  isOfAnyClient,
  isOfClient,
  nextCursorOf,
  operationOf,
  type Reader,
  readerOf,
} from "./resource-read.ts";
import {
  clientIn,
  columnOf,
  factsOf,
  idOf,
  isColumn,
  listCell,
  type Row,
  stateOfRow,
  tablesOf,
  titleOf,
} from "./resource-row.ts";
import type { Action, Filters, Listing, Screen } from "./screen.ts";
import type { Visit } from "./visit.ts";

/** Hand-written parts of a resource's pages, which the operator table does not describe. */
type OwnParts = {
  /** Previews by operation. The form shows the preview for the typed values, or else for the current ones, and has a button that shows it again. */
  readonly previews?: Readonly<Record<string, Preview>>;
  /** Content above the links to create a resource. */
  readonly above?: (visit: Visit, filters: Filters) => HtmlValue;
  readonly plots?: Listing<Row>["plots"];
  /** Hand-written actions to which the page of a resource links. */
  readonly acts?: (row: never, visit: Visit) => readonly Action[];
  /** Renders the page of a resource below the links to its actions; by default `rowFacts`. */
  readonly show?: (visit: Visit, row: never, answer: never) => Promise<HtmlValue>;
};

type Preview = { readonly button: string; readonly show: (visit: Visit, row: never) => Promise<HtmlValue> };

/** Creates the list, the page and the forms of a resource in the operator table. */
export function screenOf(resource: Resource, own: OwnParts = {}): Screen {
  const { paths, operations } = resource;
  const list = operations.find(({ does }) => does === "list");
  const read = readerOf(resource);
  const actions = new Map(
    operations
      .filter(({ does }) => does === "create" || does === "act")
      .map((operation) => [operation, actionOf(resource, operation, read, own.previews?.[operation.verb])]),
  );
  const finds = findsOf(resource);
  const above = [...finds, ...[...actions].filter(([{ does }]) => does === "create").map(([, action]) => action)];
  const show = operations.find(({ does }) => does === "show");
  const revealed = show?.canReveal === true ? [revealOf(resource, show, (visit, found) => page(visit, found))] : [];
  const linksOf = (visit: Visit, row: Row): HtmlValue => {
    const state = String(stateOfRow(resource, row));
    const offered = [...actions].flatMap(([{ does, offeredIn }, action]) =>
      does === "act" && (offeredIn?.includes(state) ?? true) ? [action] : [],
    );
    // The types are not known here, but the hand-written parts of a screen use the message type of its resource, which
    // is the one that was read.
    const acts = [...revealed, ...offered, ...(own.acts?.(row as never, visit) ?? [])];
    return actionLinks(visit, acts, idOf(resource, row), clientQuery(resource, row));
  };
  const ownFacts = (visit: Visit, { row, answer }: Found): HtmlValue | Promise<HtmlValue> =>
    // The row and the reply have the types of the resource, which the hand-written part expects.
    own.show === undefined ? rowFacts(resource, row) : own.show(visit, row as never, answer as never);
  const page = async (visit: Visit, found: Found): Promise<Page> => ({
    title: titleOf(resource, found.row),
    crumbs: crumbsOf(resource, found.row).slice(0, -1),
    ...defined({ clientId: clientOfRow(list, found.row) }),
    body: html`${linksOf(visit, found.row)}
${await ownFacts(visit, found)}`,
  });
  const hasActs = operations.some(({ does }) => does === "act");
  return {
    lists:
      list === undefined
        ? []
        : [listOf(resource, list, above, hasActs && !hasPage(resource) ? { ...own, linksOf } : own)],
    actions: [...finds, ...revealed, ...actions.values()],
    views: hasPage(resource)
      ? [
          {
            path: `${paths.one}/:id`,
            method: (show ?? operationOf(resource, "list")).rpc,
            show: async (visit) => page(visit, await read(visit)),
          },
        ]
      : [],
  };
}

/** Returns whether each resource has a page of its own. If not, the rows of the list link to the actions. */
const hasPage = ({ shown, operations }: Resource): boolean =>
  shown.page.length > 0 || operations.some(({ does }) => does === "show");

/** Returns the action that shows the page of a resource with unmasked personal data. */
function revealOf(resource: Resource, { rpc }: Operation, page: (visit: Visit, found: Found) => Promise<Page>): Action {
  const { paths, shown } = resource;
  const read = readerOf(resource);
  return {
    path: `${paths.one}/:id/reveal`,
    title: "Show the full address",
    button: "Show the full address",
    method: rpc,
    isReveal: true,
    describe: async (visit) => {
      const { row } = await read(visit);
      return {
        crumbs: crumbsOf(resource, row),
        what: html`<p>The full address is shown only on this page. Your access is recorded.</p>${facts(factsOf(resource, shown.question, row))}`,
      };
    },
    run: async (visit, options) => page(visit, await read(visit, options)),
  };
}

/** Renders the id of a resource and the columns of its page, as a list of titles and values. Columns that contain messages are tables below it. */
export function rowFacts(resource: Resource, row: Row): HtmlValue {
  const columns = resource.shown.page.map((name) => columnOf(resource, name));
  const plain = columns.filter((column) => column.columns === undefined);
  return html`<section aria-label="${capitalize(resource.noun)}">${facts([
    ["Id", copyable(idOf(resource, row))],
    ...factsOf(resource, plain.map(nameOf), row),
  ])}</section>
${tablesOf(
  resource,
  columns.filter((column) => column.columns !== undefined),
  row,
)}`;
}

function listOf(
  resource: Resource,
  list: Operation,
  linked: readonly Action[],
  own: OwnParts & { readonly linksOf?: Listing<Row>["linksOf"] },
): Listing<Row> {
  const { shown, title, paths, above } = resource;
  const { rpc, item, input, fields, empty = "None." } = list;
  const { columns: all = resource.columns } = list;
  const isOfAny = isOfAnyClient(list);
  const listed =
    shown.list.length === 0
      ? all.filter(isColumn).filter(({ isPrintedOnly }) => isPrintedOnly !== true)
      : shown.list.map((name) => columnOf(resource, name));
  // The column with the project is removed here, because the list itself adds it.
  const columns = isOfAny ? listed.filter(({ field }) => field !== clientFieldOf(list)) : listed;
  // Fields with a person's address or name cannot be filters, because a filter is part of the URL.
  const filters = fields.filter(
    (field) => field.offers !== "clients" && !isLookup(input.field[field.field] as DescField),
  );
  return {
    path: paths.list,
    title,
    method: rpc,
    isOfClient: isOfClient(list),
    ...(isOfAny ? { clientIdOf: ({ projectClientId = "" }) => String(projectClientId) } : {}),
    filters: filters.map((field) => requestField(field, true)),
    ...(above === undefined ? {} : { crumbs: [above] }),
    columns: columns.map((column) => ({
      key: keyOf(item, column),
      title: column.title,
      value: (row) => cellValue(item, column, row),
      cell: (row, visit) => listCell(resource, item, column, row, visit),
    })),
    read: async (visit, given, { limit, cursor }) => {
      const next = nextField(list);
      const asked = {
        ...(isOfClient(list) || (isOfAny && given.client) ? { [clientFieldOf(list)]: given.client ?? "" } : {}),
        ...requestOf(filters, (name) => given[name] ?? ""),
      };
      const page = next === null ? {} : { limit, [next]: cursor };
      const answer = (await visit.ask(rpc, { ...requestWith(list, asked), ...page })) as unknown as Row;
      const rows = (rowIn(list, answer) ?? []) as readonly Row[];
      return { rows, nextCursor: nextCursorOf(resource, list, answer, limit) };
    },
    empty,
    above: async (visit, given) => {
      const query = given.client ? `?client=${encodeURIComponent(given.client)}` : "";
      return html`${own.above?.(visit, given)}${actionLinks(visit, linked, "", query)}`;
    },
    ...defined({ plots: own.plots, linksOf: own.linksOf }),
  };
}

/** Returns the breadcrumbs, outermost first: the list, if there is one, and the page of the resource. */
function crumbsOf(resource: Resource, row: Row): [string, string][] {
  const isListed = resource.operations.some(({ does }) => does === "list");
  return [
    ...(isListed ? [[resource.title, listAddress(resource, row)] as [string, string]] : []),
    [titleOf(resource, row), addressOf(resource, row)],
  ];
}

const addressOf = (resource: Resource, row: Row): string =>
  `${resource.paths.one}/${idOf(resource, row)}${clientQuery(resource, row)}`;

function clientQuery(resource: Resource, row: Row): string {
  const client = clientIn(resource, row);
  return client === undefined ? "" : `?client=${encodeURIComponent(client)}`;
}

/** Returns the client of a row in a list. Null if there is no list, if the list cannot be limited to a client, or if the row belongs to the platform. */
function clientOfRow(list: Operation | undefined, { projectClientId }: Row): string | null {
  return list !== undefined && (isOfClient(list) || isOfAnyClient(list)) && projectClientId
    ? String(projectClientId)
    : null;
}

function listAddress(resource: Resource, row: Row): string {
  const client = clientOfRow(operationOf(resource, "list"), row);
  return client === null ? resource.paths.list : `${resource.paths.list}?client=${encodeURIComponent(client)}`;
}

/** Creates the form of an operation, and the page that follows it. */
function actionOf(resource: Resource, operation: Operation, read: Reader, preview?: Preview): Action {
  const { paths, shown, noun, id: idField = "id" } = resource;
  const { verb, rpc, does, summary, remark, title, button, hasRevision } = operation;
  const isNew = does === "create";
  // The form of a new resource asks for the resource's project. An existing resource already has a project, which the
  // address contains and no form may change.
  const isOfNamedClient = !isNew && isOfClient(operation);
  const fields = isOfNamedClient ? operation.fields.filter(({ offers }) => offers !== "clients") : operation.fields;
  const rowOf = async (visit: Visit): Promise<Row | null> => (isNew ? null : (await read(visit)).row);
  const said = html`<p>${summary}</p>${remark !== undefined && html`<p>${remark}</p>`}`;
  return {
    path: isNew ? `${paths.list}/new` : `${paths.one}/:id/${verb}`,
    title,
    button,
    method: rpc,
    ...(operation.isDanger === true ? { isDanger: true } : {}),
    ...(operation.isOnce === true ? { isOnce: true } : {}),
    ...defined({ preview: preview?.button }),
    describe: async (visit) => {
      const row = await rowOf(visit);
      if (row === null)
        return {
          crumbs: [[resource.title, listAddress(resource, { projectClientId: visit.query("client") })]],
          what: said,
        };
      // The type is not known here, but a preview uses the message type of its resource, which is the one that was
      // read.
      const previewed = await preview?.show(visit, row as never);
      return {
        crumbs: hasPage(resource) ? crumbsOf(resource, row) : crumbsOf(resource, row).slice(0, -1),
        what: html`${said}${facts(factsOf(resource, shown.question, row))}${previewed}`,
      };
    },
    fields: async (visit) => {
      // The values and the revision are read together, so that they match.
      const row = fields.some(({ present }) => present !== undefined) || hasRevision ? await rowOf(visit) : null;
      const shownFields = await formFields(visit, fields, row);
      return hasRevision ? [revisionField(row?.revision), ...shownFields] : shownFields;
    },
    run: async (visit, options) => {
      // After a deletion, only the row that was read before tells which list contained it.
      const removed = operation.isRemoval === true ? await rowOf(visit) : null;
      const request = {
        ...requestWith(
          operation,
          requestOf(fields, (name) => visit.field(name)),
        ),
        ...(isOfNamedClient ? { [clientFieldOf(operation)]: visit.query("client") } : {}),
        ...(hasRevision ? postedRevision(visit) : {}),
        ...(isNew ? {} : { [subjectOf(resource).field]: visit.param("id") }),
      };
      const answer = (await visit.ask(rpc, request, options)) as unknown as Row;
      const after = rowIn(operation, answer) as Row | undefined;
      const one: Row = { ...after, [idField]: isNew ? ((after ?? answer)[idField] ?? "") : visit.param("id") };
      const listed = removed ?? (hasPage(resource) ? null : { projectClientId: visit.query("client"), ...one });
      return {
        redirect: listed === null ? addressOf(resource, one) : listAddress(resource, listed),
        notice: operation.notice ?? `The ${noun} has changed.`,
      };
    },
  };
}
