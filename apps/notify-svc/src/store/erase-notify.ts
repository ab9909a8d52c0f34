import { collectionOf, deleteInBatches } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import { addressHashes } from "../domain/address.ts";
import { revoke } from "../domain/endpoint.ts";
import { capturedMessageModel } from "./captured-messages.ts";
import { deliveryModel } from "./delivery-model.ts";
import { type EndpointRecord, endpointModel, toEndpoint, toEndpointRecord } from "./endpoint-model.ts";
import { senderProfileModel } from "./sender-profile-model.ts";

/**
 * Erases the data of people and Project Clients in notify-svc. After an address was erased, its endpoint remains as a
 * revoked one without contents. Its idempotency keys and those of its deliveries stay used. It can be repeated.
 */
export function createNotifyEraser(connection: Connection) {
  const endpoints = endpointModel(connection);
  const deliveries = deliveryModel(connection);
  const captured = capturedMessageModel(connection);

  const eraseEndpoint = async (record: EndpointRecord, now: Date): Promise<void> => {
    // Queued deliveries are erased first, because nothing would find them after a crash once the endpoint has no
    // address. The fingerprint is a hash of the request, whose variables identify the person. The key stays used.
    await collectionOf(deliveries).updateMany(
      { endpoint_id: record._id, $or: [{ content: { $ne: null } }, { idempotency_fingerprint: { $ne: "erased" } }] },
      { $set: { content: null, idempotency_fingerprint: "erased" } },
    );
    await collectionOf(captured).deleteMany({ endpoint_id: record._id });
    const current = toEndpoint(record);
    const revoked = revoke(current).next ?? current;
    const tombstone = {
      ...revoked,
      address: "",
      verification: null,
      resubscription: null,
      suppression: null,
      grantedPurposes: [],
      withdrawnPurposes: [],
      lastErrorCode: "erased",
      version: record.version + 1,
    };
    await collectionOf(endpoints).replaceOne(
      { _id: record._id, version: record.version },
      // The history contains purposes, so it is erased as well.
      {
        ...toEndpointRecord(tombstone, `erased:${record._id}`, now),
        history: [{ at: now, what: "erased", by: "operator" }],
      },
    );
  };

  return {
    /** Erases the endpoints with these email addresses, for every client. */
    erasePerson: async (emails: readonly string[], now: Date, signal: AbortSignal): Promise<number> => {
      const hashes = emails.flatMap((email) => addressHashes("email", email));
      let erased = 0;
      while (!signal.aborted && hashes.length > 0) {
        const found = await endpoints
          .find({ address_hash: { $in: hashes } })
          .limit(100)
          .lean<EndpointRecord[]>();
        if (found.length === 0) break;
        for (const record of found) await eraseEndpoint(record, now);
        erased += found.length;
      }
      return erased;
    },
    eraseClient: async (clientId: string, signal: AbortSignal): Promise<number> => {
      const own = { project_client_id: clientId };
      const models = [
        deliveries,
        endpoints,
        senderProfileModel(connection),
        ...["SenderProfileTest", "CatalogVersion", "CapturedMessage"].map((name) => connection.model(name)),
      ];
      let erased = 0;
      for (const model of models) erased += await deleteInBatches(model, own, signal);
      erased += await deleteInBatches(connection.model("RetentionSetting"), own, signal);
      for (const name of ["Catalog", "ValidatedCatalog"])
        erased += await deleteInBatches(connection.model(name), { _id: clientId }, signal);
      return erased;
    },
  };
}
