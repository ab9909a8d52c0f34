import { defined } from "@platform/kit/process/fields";
import { type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import { addressHashes } from "../domain/address.ts";
import { type Channel, channels } from "../domain/channel.ts";
import type { DeliveryEndpoint, EndpointStatus } from "../domain/endpoint.ts";
import { type DatedEndpointEvent, toEndpointEvent } from "./endpoint-history.ts";
import { type EndpointRecord, endpointModel, toEndpoint } from "./endpoint-model.ts";

/** Filter for a list of endpoints; null matches everything. */
export type EndpointFilter = {
  readonly projectClientId: string;
  readonly channel: Channel | null;
  readonly status: EndpointStatus | null;
};

/** Number of recent endpoints that are searched for the purposes that people have consented to. */
const recentMax = 1_000;

/** Searches Delivery Endpoints for operators. */
export function createEndpointSearch(connection: Connection) {
  const model = endpointModel(connection);
  return {
    /** A page of a client's endpoints, newest first. */
    list: async (filter: EndpointFilter, request: PageRequest): Promise<Page<DeliveryEndpoint>> => {
      const { channel, status } = filter;
      const conditions = {
        project_client_id: filter.projectClientId,
        ...defined({ channel, status }),
      };
      const { items, nextCursor } = await readPage<EndpointRecord>(model, conditions, request);
      return { items: items.map(toEndpoint), nextCursor };
    },
    /** A page of a client's suppressed endpoints, the latest suppressed first. */
    listSuppressed: async (projectClientId: string, request: PageRequest): Promise<Page<DeliveryEndpoint>> => {
      const { items, nextCursor } = await readPage<EndpointRecord>(
        model,
        { project_client_id: projectClientId },
        request,
        // The index contains only suppressed endpoints. The database uses it only if the time has a lower bound, so
        // one is given.
        { order: { by: "suppressed_at", direction: -1 }, span: { since: new Date(1), until: null } },
      );
      return { items: items.map(toEndpoint), nextCursor };
    },
    /**
     * A client's endpoints with one address, found by its hash under each channel.
     * @param addressOf returns the address in the form that is stored for a channel
     */
    findByAddress: async (
      projectClientId: string,
      addressOf: (channel: Channel) => string,
    ): Promise<DeliveryEndpoint[]> => {
      const hashes = channels.flatMap((channel) => addressHashes(channel, addressOf(channel)));
      const records = await model
        .find({ project_client_id: projectClientId, channel: { $in: [...channels] }, address_hash: { $in: hashes } })
        .sort({ created_at: -1, _id: -1 })
        .lean<EndpointRecord[]>()
        .exec();
      return records.map(toEndpoint);
    },
    /** Purposes that the newest endpoints of a client and channel have consented to. */
    recentPurposes: async (projectClientId: string, channel: Channel): Promise<Set<string>> => {
      const found = await model
        .find({ project_client_id: projectClientId, channel }, { granted_purposes: 1, _id: 0 })
        .sort({ created_at: -1 })
        .limit(recentMax)
        .lean<Pick<EndpointRecord, "granted_purposes">[]>();
      return new Set(found.flatMap(({ granted_purposes }) => granted_purposes));
    },
    /** The endpoint of any client with its history, oldest first. */
    find: async (id: string): Promise<{ endpoint: DeliveryEndpoint; history: DatedEndpointEvent[] } | null> => {
      const record = await model.findOne({ _id: id }).lean<EndpointRecord>().exec();
      return record === null
        ? null
        : { endpoint: toEndpoint(record), history: (record.history ?? []).map(toEndpointEvent) };
    },
  };
}
