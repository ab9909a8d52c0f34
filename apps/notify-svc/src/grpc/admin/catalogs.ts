import { defined } from "@platform/kit/process/fields";
import type { ApplyCatalogRequest, ShowCatalogRequest } from "@platform/proto/notify/v1/notify_admin";
import { type Template, templateDigest, templateId } from "../../domain/template.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { nameOf, readTemplate, refuse } from "./read-template.ts";
import { requireClientId } from "./require-client-id.ts";

const templatesMax = 2000;

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
    const orderOf = (each: Template): string => [each.key, each.channel, each.locale].join("\0");
    return {
      templates: templates
        .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
        .map(({ html, push, ...rest }) => ({
          ...rest,
          ...defined({ html, push: push === null ? null : defined(push) }),
        })),
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
