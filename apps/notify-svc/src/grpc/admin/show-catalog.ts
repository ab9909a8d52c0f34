import type { ShowCatalogRequest } from "@platform/proto/notify/v1/notify_admin";
import { defined } from "@platform/service-kit/fields/defined";
import type { ServerCall } from "@platform/service-kit/grpc/serve";
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
