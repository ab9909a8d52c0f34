import { defined } from "@platform/kit/process/fields";
import type { ServerCall } from "@platform/kit/rpc/server";
import type { ShowCatalogRequest } from "@platform/proto/notify/v1/notify_admin";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

/** Shows a client's catalog, sorted by key, channel and locale. */
export const showCatalog =
  ({ stores }: RpcDeps) =>
  async (request: ShowCatalogRequest, _call: ServerCall) => {
    const templates = await stores.catalogs.list(requireClientId(request.projectClientId));
    const nameOf = (each: (typeof templates)[number]): string => [each.key, each.channel, each.locale].join("\0");
    return {
      templates: templates
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
        .map(({ html, ...rest }) => ({ ...rest, ...defined({ html }) })),
    };
  };
