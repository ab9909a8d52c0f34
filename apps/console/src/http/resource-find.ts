import { type Operation, type Resource, requestWith } from "@platform/contracts/operator/resource";
import { rowIn } from "@platform/contracts/operator/row-values";
import { html } from "@platform/kit/web/http";
import { clientFields } from "./list.ts";
import type { Page } from "./pages/layout.ts";
import { formFields, requestOf } from "./resource-form.ts";
import { type Row, rowsTable } from "./resource-row.ts";
import type { Action } from "./screen.ts";
import type { Visit } from "./visit.ts";

/**
 * Returns the forms that ask for an address and a reason, and show the matching resources. They are posted, so that no
 * URL contains an address.
 */
export const findsOf = (resource: Resource): readonly Action[] =>
  resource.operations.filter(({ does }) => does === "find").map((operation) => findOf(resource, operation));

function findOf(resource: Resource, operation: Operation): Action {
  const { title: listTitle, paths, shown, operations } = resource;
  const { rpc, summary, title, button, fields, foundTitle = listTitle, empty = "None." } = operation;
  const isListed = operations.some(({ does }) => does === "list");
  const crumbsOf = (clientId: string): NonNullable<Page["crumbs"]> =>
    isListed
      ? [[listTitle, clientId === "" ? paths.list : `${paths.list}?client=${encodeURIComponent(clientId)}`]]
      : [];
  const clientOf = (visit: Visit): string => visit.field("client") || visit.query("client");
  return {
    path: `${paths.one}/find`,
    title,
    button,
    method: rpc,
    isReveal: true,
    describe: async (visit) => ({
      crumbs: crumbsOf(clientOf(visit)),
      what: html`<p>${summary} The search is recorded.</p>`,
    }),
    fields: async (visit) => {
      const isOfClient = fields.some(({ offers }) => offers === "clients");
      const others = fields.filter(({ offers }) => offers !== "clients");
      const client = isOfClient ? await clientFields(visit, clientOf(visit)) : [];
      return [...client, ...(await formFields(visit, others, null))];
    },
    run: async (visit, options) => {
      const asked = requestOf(fields, (name) => (name === "client" ? clientOf(visit) : visit.field(name)));
      const request = { ...requestWith(operation, asked), reveal: true };
      const answer = (await visit.ask(rpc, request, options)) as unknown as Row;
      const rows = (rowIn(operation, answer) ?? []) as Parameters<typeof rowsTable>[3];
      return {
        title: foundTitle,
        crumbs: crumbsOf(clientOf(visit)),
        body: html`<section aria-label="Found">${rowsTable(resource, foundTitle, shown.found ?? shown.list, rows, empty)}</section>`,
      };
    },
  };
}
