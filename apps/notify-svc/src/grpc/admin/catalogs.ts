import { defined } from "@platform/kit/process/fields";
import type {
  ApplyCatalogRequest,
  ShowCatalogRequest,
  Template as WireTemplate,
} from "@platform/proto/notify/v1/notify_admin";
import { isChannel } from "../../domain/channel.ts";
import { checkTemplate, TemplateInvalid } from "../../domain/render-template.ts";
import { type Template, templateDigest, templateId, type VariableType } from "../../domain/template.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

const templatesMax = 2000;
const variablesMax = 50;
const variableTypes: readonly string[] = ["string", "integer", "number"];

/** Replaces a catalog as a whole after every template was validated. */
export const applyCatalog =
  ({ stores, clock }: RpcDeps) =>
  async (request: ApplyCatalogRequest) => {
    const projectClientId = requireClientId(request.projectClientId);
    if (request.templates.length > templatesMax) refuse("/templates", `at most ${templatesMax} templates`);
    const byId = new Map<string, Template>();
    request.templates.forEach((wire, index) => {
      const template = readTemplate(wire, `/templates/${index}`);
      const id = templateId(template.key, template.channel, template.locale);
      if (byId.has(id)) refuse(`/templates/${index}`, `${nameOf(template)} is there twice`);
      byId.set(id, template);
    });
    const before = await stores.catalogs.replace(projectClientId, [...byId.values()], clock());
    return compare(before, byId);
  };

/** Shows a client's catalog, sorted by key, channel and locale. */
export const showCatalog =
  ({ stores }: RpcDeps) =>
  async (request: ShowCatalogRequest) => {
    const templates = await stores.catalogs.list(requireClientId(request.projectClientId));
    const nameOf = (each: (typeof templates)[number]): string => [each.key, each.channel, each.locale].join("\0");
    return {
      templates: templates
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
        .map(({ html, ...rest }) => ({ ...rest, ...defined({ html }) })),
    };
  };

function compare(before: readonly Template[], now: ReadonlyMap<string, Template>) {
  const earlier = new Map(before.map((each) => [templateId(each.key, each.channel, each.locale), each]));
  const added = [...now].filter(([id]) => !earlier.has(id));
  const kept = [...now].filter(([id]) => earlier.has(id));
  const isSame = ([id, template]: [string, Template]): boolean => {
    const other = earlier.get(id);
    return other !== undefined && templateDigest(other) === templateDigest(template);
  };
  return {
    added: added.map(([, template]) => nameOf(template)),
    changed: kept.filter((pair) => !isSame(pair)).map(([, template]) => nameOf(template)),
    removed: [...earlier].filter(([id]) => !now.has(id)).map(([, template]) => nameOf(template)),
    unchanged: kept.filter(isSame).length,
  };
}

function nameOf({ key, channel, locale }: Template): string {
  return `${key} ${channel} ${locale}`;
}

function readTemplate(wire: WireTemplate, path: string): Template {
  const { key, channel, locale, variables } = wire;
  if (key.length < 1 || key.length > 120) refuse(`${path}/key`, "1 to 120 characters");
  if (!isChannel(channel)) return refuse(`${path}/channel`, "must be email, fcm, apns, line or web_push");
  if (locale.length < 1 || locale.length > 20) refuse(`${path}/locale`, "1 to 20 characters");
  if (wire.text === "") refuse(`${path}/text`, "required");
  if (channel === "email" && wire.subject === "") refuse(`${path}/subject`, "required for email");
  if (channel !== "email" && wire.html !== undefined) refuse(`${path}/html`, "only email has an html part");
  if (Object.keys(variables).length > variablesMax) refuse(`${path}/variables`, `at most ${variablesMax}`);
  for (const [name, type] of Object.entries(variables)) {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,119}$/.test(name)) refuse(`${path}/variables`, `${name} is not a Liquid name`);
    if (!variableTypes.includes(type)) refuse(`${path}/variables/${name}`, "must be string, integer or number");
  }
  const template: Template = {
    key,
    channel,
    locale,
    subject: wire.subject,
    text: wire.text,
    html: wire.html ?? null,
    variables: variables as Record<string, VariableType>,
  };
  try {
    checkTemplate(template);
  } catch (error) {
    if (!(error instanceof TemplateInvalid)) throw error;
    refuse(path, `${nameOf(template)}: ${error.message}`);
  }
  return template;
}

function refuse(path: string, message: string): never {
  throw contractViolation(path, "invalid_value", message);
}
