import { defined } from "@platform/kit/process/fields";
import type { ServerCall } from "@platform/kit/rpc/server";
import type {
  ApplyCatalogRequest,
  ShowCatalogRequest,
  Template as WireTemplate,
} from "@platform/proto/notify/v1/notify_admin";
import type { MailTemplate } from "../../domain/mail-fields.ts";
import { type Template, templateId, templateName } from "../../domain/template.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { readTemplate, refuse } from "./read-template.ts";
import { requireClientId } from "./require-client-id.ts";

const templatesMax = 2000;

/** Replaces a catalog as a whole after every template was validated. */
export const applyCatalog =
  ({ stores, clock }: RpcDeps) =>
  async (request: ApplyCatalogRequest, call: ServerCall) => {
    const projectClientId = requireClientId(request.projectClientId);
    const templates = readTemplates(request.templates, readTemplate);
    const { changes } = await stores.catalogs.apply(projectClientId, templates, { by: operatorOf(call), now: clock() });
    return changes;
  };

/** Shows a client's catalog, sorted by key, channel and locale. */
export const showCatalog =
  ({ stores }: RpcDeps) =>
  async (request: ShowCatalogRequest) => {
    const templates = await stores.catalogs.list(requireClientId(request.projectClientId));
    const orderOf = (each: Template): string => [each.key, each.channel, each.locale].join("\0");
    return {
      templates: templates
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
        .map(({ html, push, mail, ...rest }) => ({
          ...rest,
          ...defined({
            html,
            push: push === null ? null : defined(push),
            mail: mail === null ? null : wireMail(mail),
          }),
        })),
    };
  };

const wireMail = ({ attachments, replyTo, headers }: MailTemplate) => ({
  attachments: attachments.map((attachment) => ({ ...attachment })),
  ...defined({ replyTo }),
  headers: { ...headers },
});

/** Name of the person who applied a catalog, as shown in the list of versions. */
export const operatorOf = ({ operator }: ServerCall): string => operator?.subject ?? "";

/**
 * Reads the templates of a catalog, whose names must be unique.
 * @param read reads one template; null leaves it out
 */
export function readTemplates(
  templates: readonly WireTemplate[],
  read: (wire: WireTemplate, path: string) => Template | null,
): Template[] {
  if (templates.length > templatesMax) refuse("/templates", `at most ${templatesMax} templates`);
  const byId = new Map<string, Template>();
  templates.forEach((wire, index) => {
    const template = read(wire, `/templates/${index}`);
    if (template === null) return;
    const id = templateId(template.key, template.channel, template.locale);
    if (byId.has(id)) refuse(`/templates/${index}`, `${templateName(template)} is there twice`);
    byId.set(id, template);
  });
  return [...byId.values()];
}
