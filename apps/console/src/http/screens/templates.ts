import { setImmediate } from "node:timers/promises";
import { catalogFileEntry } from "@platform/contracts/operator/catalog-file";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { CatalogAdminService } from "@platform/proto/notify/v1/catalog_admin";
import { NotifyAdminService, type Template } from "@platform/proto/notify/v1/notify_admin";
import { stringify } from "yaml";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { section, table } from "../pages/elements.ts";
import { fieldHtml } from "../pages/fields.ts";
import type { Action, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { catalogChanges, nameOf, partsOf } from "./catalog-changes.ts";
import { appliedProblems, problemsTable, rollBack, versions } from "./catalog-versions.ts";
import { renderSample, sampleOf } from "./template-sample.ts";

const admin = NotifyAdminService.method;

async function readCatalog(visit: Visit, projectClientId: string): Promise<readonly Template[]> {
  const { templates: all } = await visit.ask(admin.showCatalog, { projectClientId });
  return all;
}

const list: Listing<Template> = {
  path: "/templates",
  title: "Templates",
  method: admin.showCatalog,
  isOfClient: true,
  filters: [{ name: "key", label: "Template" }],
  columns: [
    { key: "key", title: "Template", value: ({ key }) => key },
    { key: "channel", title: "Channel", value: ({ channel }) => channel },
    { key: "locale", title: "Language", value: ({ locale }) => locale },
    { key: "subject", title: "Subject", value: ({ subject }) => subject },
    {
      key: "variables",
      title: "Variables",
      value: ({ variables }) =>
        Object.entries(variables)
          .map(([name, type]) => `${name}: ${type}`)
          .join(", "),
    },
  ],
  read: async (visit, filters) => {
    const all = await readCatalog(visit, filters.client ?? "");
    return { rows: all.filter(({ key }) => filters.key === "" || key === filters.key), nextCursor: "" };
  },
  empty: "The catalog is empty. Operators can apply one here or with platformctl catalog apply.",
  above: async (visit, filters) => {
    const client = encodeURIComponent(filters.client ?? "");
    const all = await readCatalog(visit, filters.client ?? "");
    const keys = [...new Set(all.map(({ key }) => key))];
    return html`<p class="btn-list"><a class="btn" href="/templates/versions?client=${client}">Versions</a></p>
${actionLinks(visit, [apply], "", `?client=${client}`)}
${await appliedProblems(visit, filters.client ?? "")}
${keys.length > 0 && section("Preview", html`<ul class="btn-list list-unstyled">${keys.map((key) => html`<li><a href="/templates/preview?client=${client}&amp;key=${encodeURIComponent(key)}">${key}</a></li>`)}</ul>`)}`;
  },
};

/** Renders a template in every language, with sample values that can be changed. */
async function previewPage(visit: Visit) {
  const clientId = visit.query("client");
  const key = visit.query("key");
  const own = (await readCatalog(visit, clientId)).filter((template) => template.key === key);
  if (own.length === 0)
    throw new PageProblem(404, "There is nothing here", "The catalog does not contain this template.");
  const variables = Object.assign({}, ...own.map((template) => template.variables)) as Record<string, string>;
  const given = Object.fromEntries(
    Object.entries(variables).map(([name, type]) => [name, visit.query(`v_${name}`) || sampleOf(name, type)]),
  );
  return {
    title: key,
    crumbs: [["Templates", `/templates?client=${clientId}`]] as [string, string][],
    clientId,
    body: html`<form class="filters d-flex flex-wrap gap-2 align-items-end mb-3" method="get" action="/templates/preview" aria-label="Sample values">
<input type="hidden" name="client" value="${clientId}"><input type="hidden" name="key" value="${key}">
${Object.entries(given).map(([name, value]) => fieldHtml({ name: `v_${name}`, label: name, value }, "sample"))}
<button class="btn">Render</button></form>
${own.map((template) => section(`${template.channel}, ${template.locale}`, ...renderedParts(template, given)))}`,
  };
}

function renderedParts(template: Template, values: Readonly<Record<string, string>>): HtmlValue[] {
  return partsOf(template).map(
    ([name, source]) => html`<h3>${name}</h3><pre tabindex="0">${renderSample(template, name, source, values)}</pre>`,
  );
}

type PostedTemplates = ReturnType<Visit["catalogFiles"]["read"]>;
const posted = new WeakMap<Visit, PostedTemplates>();

/** Returns the templates of the posted catalog, which is read once, although the action and its page both use it. */
function postedTemplates(visit: Visit): PostedTemplates {
  const templates = posted.get(visit) ?? visit.catalogFiles.read(visit.session.subject, visit.field("catalog"));
  posted.set(visit, templates);
  return templates;
}

/**
 * Returns the current catalog as YAML, for editing. It writes one template per event-loop tick, because a whole catalog
 * takes seconds.
 */
async function yamlOf(templates: readonly Template[]): Promise<string> {
  if (templates.length === 0) return stringify({ templates: [] });
  const texts: string[] = [];
  for (const template of templates) {
    texts.push(stringify({ templates: [catalogFileEntry(template)] }).replace(/^templates:\n/, ""));
    await setImmediate();
  }
  return `templates:\n${texts.join("")}`;
}

const apply: Action = {
  path: "/templates/apply",
  title: "Apply a catalog",
  button: "Continue",
  method: admin.applyCatalog,
  isLarge: true,
  describe: async (visit) => ({
    crumbs: [["Templates", `/templates?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Replaces the whole catalog of the project. You can preview the changes first. If any template is rejected, nothing changes.</p>
${visit.field("step") === "show" && (await changesTable(visit).catch(notACatalog))}`,
  }),
  fields: async (visit) => [
    {
      name: "catalog",
      label: "catalog.yaml",
      type: "textarea",
      rows: 20,
      isRequired: true,
      value: visit.field("catalog") || (await yamlOf(await readCatalog(visit, visit.query("client")))),
    },
    {
      name: "step",
      label: "Action",
      choices: [
        ["show", "Preview the changes"],
        ["apply", "Apply the catalog"],
      ],
    },
  ],
  run: async (visit, options) => {
    const templates = await postedTemplates(visit);
    if (visit.field("step") !== "apply") return { again: true };
    const { added, changed, removed } = await visit.ask(
      admin.applyCatalog,
      { projectClientId: visit.query("client"), templates },
      options,
    );
    return {
      redirect: `/templates?client=${encodeURIComponent(visit.query("client"))}`,
      notice: `${added.length} added, ${changed.length} changed, ${removed.length} removed.`,
    };
  },
};

/** Returns null for a catalog with errors, because the page already shows the errors. */
const notACatalog = (error: unknown): null => {
  if (error instanceof PageProblem) return null;
  throw error;
};

/** Renders the changes that applying the posted catalog would make, line by line. */
async function changesTable(visit: Visit): Promise<HtmlValue> {
  const projectClientId = visit.query("client");
  const templates = await postedTemplates(visit);
  const [before, { problems }] = await Promise.all([
    readCatalog(visit, projectClientId),
    visit.ask(CatalogAdminService.method.previewCatalog, { projectClientId, templates }),
  ]);
  const changes = catalogChanges(before, templates);
  return html`${problemsTable(problems)}${table(
    "Changes",
    ["Template", "Change", "Lines"],
    changes.map(({ template, kind, lines }) => [
      nameOf(template),
      kind,
      lines === null
        ? "There are too many changed lines to show them here."
        : html`<div class="diff">${lines.map(([sign, line]) => (sign === "+" ? html`<ins class="good d-block">+ ${line}</ins>` : html`<del class="bad d-block">- ${line}</del>`))}</div>`,
    ]),
    "There are no changes.",
  )}`;
}

export const templates: Screen = {
  lists: [list, versions],
  actions: [apply, rollBack],
  views: [{ path: "/templates/preview", method: admin.showCatalog, show: previewPage }],
};
