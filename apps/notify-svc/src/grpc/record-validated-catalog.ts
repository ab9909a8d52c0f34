import { requireProjectClient, type ServerCall } from "@platform/kit/rpc/server";
import type { RecordValidatedCatalogRequest } from "@platform/proto/notify/v1/catalog_service";
import type { RpcDeps } from "./rpc-deps.ts";

/** Stores the catalog that a project has validated. */
export const recordValidatedCatalog =
  ({ stores, clock }: RpcDeps) =>
  async ({ digest, entries }: RecordValidatedCatalogRequest, call: ServerCall) => {
    const plain = entries.map(({ eventKey, templateKey, channel, purpose, locale, senderProfile }) => ({
      eventKey,
      templateKey,
      channel,
      purpose,
      locale,
      senderProfile,
    }));
    await stores.validatedCatalogs.record(requireProjectClient(call).id, { digest, entries: plain }, clock());
    return {};
  };
