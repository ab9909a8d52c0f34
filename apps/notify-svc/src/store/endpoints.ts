import { setTimeout as delay } from "node:timers/promises";
import { collectionOf, createFindTogether, insertOrFind, outboxAfter } from "@platform/kit/store/documents";
import type { PlatformFact, PlatformFacts } from "@platform/operator-plane/platform-events";
import type { Connection } from "mongoose";
import { addressHashes } from "../domain/address.ts";
import type { Channel } from "../domain/channel.ts";
import type { DeliveryEndpoint, EndpointChange } from "../domain/endpoint.ts";
import type { ChangeCause } from "../domain/endpoint-history.ts";
import { historyAfter } from "./endpoint-history.ts";
import { type EndpointRecord, endpointModel, toEndpoint, toEndpointRecord } from "./endpoint-model.ts";

/**
 * Maximum number of attempts to change an endpoint. An attempt fails only if a concurrent change has succeeded, so
 * the maximum only matters under extreme contention.
 */
const changeTriesMax = 50;

/** The history is left out, because endpoints are read often and rarely need it. */
const withoutHistory = { history: 0 } as const;

/**
 * Stores Delivery Endpoints. A change is written only if the endpoint still has the version on which the change is
 * based.
 */
export function createEndpointStore(connection: Connection, facts: Pick<PlatformFacts, "of">) {
  const model = endpointModel(connection);
  let onStatus: (endpoint: DeliveryEndpoint) => void = () => {};

  /** The platform event about an endpoint that becomes verified or revoked, or null. */
  const factOf = (before: EndpointRecord | null, next: DeliveryEndpoint, now: Date): PlatformFact | null => {
    const { status, channel, ownershipGeneration } = next;
    if (status === before?.status || (status !== "verified" && status !== "revoked")) return null;
    // A revocation starts the next ownership generation, so the event belongs to the one before.
    const time = status === "revoked" ? ownershipGeneration - 1 : ownershipGeneration;
    const fact = { resource: "delivery_endpoint", id: next.id, state: status, data: { channel }, time };
    return facts.of(next.projectClientId, fact, now);
  };

  const findRecord = (projectClientId: string, id: string): Promise<EndpointRecord | null> =>
    model.findOne({ _id: id, project_client_id: projectClientId }).lean<EndpointRecord>().exec();

  const findById = createFindTogether(model, withoutHistory);

  /** Writes `next` if the version on which it is based is still the current one. Returns false otherwise. */
  const replaceVersion = async (
    current: EndpointRecord,
    next: DeliveryEndpoint,
    cause: ChangeCause,
    now: Date,
  ): Promise<boolean> => {
    const record = toEndpointRecord({ ...next, version: current.version + 1 }, current.address_hash, now);
    const history = historyAfter(current.history ?? [], [toEndpoint(current), next], cause, now);
    const written = await collectionOf(model).replaceOne(
      { _id: current._id, project_client_id: current.project_client_id, version: current.version },
      { ...record, history, ...outboxAfter(current, factOf(current, next, now)) },
    );
    const isWritten = written.modifiedCount === 1;
    if (isWritten && next.status !== current.status) onStatus(next);
    return isWritten;
  };

  /**
   * Changes an endpoint by `decide`, and decides again if a concurrent change was written first.
   * @returns the current endpoint and the failure to return, or null if the client has no such endpoint
   */
  const change = async (
    projectClientId: string,
    id: string,
    decide: (current: DeliveryEndpoint) => EndpointChange,
    cause: ChangeCause,
    now: Date,
  ): Promise<{ endpoint: DeliveryEndpoint; failure: EndpointChange["failure"] } | null> => {
    for (let attempt = 0; attempt < changeTriesMax; attempt += 1) {
      const record = await findRecord(projectClientId, id);
      if (record === null) return null;
      const current = toEndpoint(record);
      const { next, failure } = decide(current);
      if (next === null) return { endpoint: current, failure };
      if (await replaceVersion(record, next, cause, now)) {
        return { endpoint: { ...next, version: record.version + 1 }, failure };
      }
      await delay(Math.random() * 5);
    }
    throw new Error("a Delivery Endpoint changed too often to be changed");
  };

  return {
    find: async (projectClientId: string, id: string): Promise<DeliveryEndpoint | null> => {
      const record = await findById(id);
      return record?.project_client_id === projectClientId ? toEndpoint(record) : null;
    },
    change,
    /** Calls the listener after each write that changed an endpoint's status. */
    onStatus: (listener: (endpoint: DeliveryEndpoint) => void): void => {
      onStatus = listener;
    },
    /**
     * Inserts a new endpoint, or changes the one with the same client, channel and address.
     * @param fresh the endpoint to insert if there is none
     */
    upsert: async (
      fresh: DeliveryEndpoint,
      decide: (current: DeliveryEndpoint) => EndpointChange,
      cause: ChangeCause,
      now: Date,
    ): Promise<{ endpoint: DeliveryEndpoint; isChanged: boolean }> => {
      const hashes = addressHashes(fresh.channel, fresh.address);
      const [hash = ""] = hashes;
      const known = {
        project_client_id: fresh.projectClientId,
        channel: fresh.channel,
        address_hash: hashes.length === 1 ? hash : { $in: hashes },
      };
      const findKnown = () => model.findOne(known).lean<EndpointRecord>().exec();
      /** Inserts the endpoint. Returns null, or the one that a concurrent request has inserted. */
      const insertFresh = () => {
        const history = historyAfter([], [null, fresh], cause, now);
        const told = outboxAfter({}, factOf(null, fresh, now));
        const document = { ...toEndpointRecord(fresh, hash, now), history, ...told };
        return insertOrFind(document, () => collectionOf(model).insertOne(document), findKnown);
      };
      for (let attempt = 0; attempt < changeTriesMax; attempt += 1) {
        const record = (await findKnown()) ?? (await insertFresh());
        if (record === null) {
          onStatus(fresh);
          return { endpoint: fresh, isChanged: true };
        }
        const current = toEndpoint(record);
        const { next } = decide(current);
        if (next === null) return { endpoint: current, isChanged: false };
        if (await replaceVersion(record, next, cause, now)) {
          return { endpoint: { ...next, version: record.version + 1 }, isChanged: true };
        }
        await delay(Math.random() * 5);
      }
      throw new Error("a Delivery Endpoint changed too often to be registered");
    },
    /** The environment of a Project Client according to its most recent endpoint; empty if it has none. */
    environmentOf: async (projectClientId: string): Promise<string> => {
      const latest = await model
        .findOne({ project_client_id: projectClientId }, { environment: 1 })
        .sort({ created_at: -1 })
        .lean<Pick<EndpointRecord, "environment"> | null>();
      return latest?.environment ?? "";
    },
    /**
     * The endpoint of a delivery that is about to be sent. No client has to be given, because a worker takes the id from
     * its own claim.
     */
    findForDelivery: async (id: string): Promise<DeliveryEndpoint | null> => {
      const record = await findById(id);
      return record === null ? null : toEndpoint(record);
    },
    /** The endpoints of deliveries that an operator lists, by id. */
    findMany: async (ids: readonly string[]): Promise<Map<string, DeliveryEndpoint>> => {
      const records = await collectionOf(model)
        .find({ _id: { $in: [...ids] } }, { projection: withoutHistory })
        .toArray();
      return new Map(records.map((record) => [record._id, toEndpoint(record)]));
    },
    /** Endpoints whose verification push is due to be queued. */
    findPushesDue: async (now: Date, limit: number, except: readonly string[]): Promise<DeliveryEndpoint[]> => {
      const records = await model
        .find({ push_due_at: { $lte: now }, ...without(except) })
        .sort({ push_due_at: 1 })
        .limit(limit)
        .lean<EndpointRecord[]>()
        .exec();
      return records.map(toEndpoint);
    },
    /** The endpoint whose emailed link has the token with this hash. */
    findByResubscribeToken: async (tokenHash: string): Promise<DeliveryEndpoint | null> => {
      const record = await model.findOne({ "resubscription.token_hash": tokenHash }).lean<EndpointRecord>().exec();
      return record === null ? null : toEndpoint(record);
    },
    /** Endpoints to which a link has to be emailed, those that have waited longest first. */
    findResubscribeMailsDue: async (
      now: Date,
      limit: number,
      except: readonly string[],
    ): Promise<DeliveryEndpoint[]> => {
      const records = await model
        .find({ "resubscription.mail_due_at": { $lte: now }, ...without(except) })
        .sort({ "resubscription.mail_due_at": 1 })
        .limit(limit)
        .lean<EndpointRecord[]>()
        .exec();
      return records.map(toEndpoint);
    },
    /** Makes the verification pushes of a channel due, because there is now a profile that can send them. */
    wakePushes: async (projectClientId: string, channel: Channel, now: Date): Promise<void> => {
      await collectionOf(model).updateMany(
        {
          project_client_id: projectClientId,
          channel,
          last_error_code: "sender_profile_not_found",
          push_due_at: { $gt: now },
        },
        { $set: { push_due_at: now }, $inc: { version: 1 } },
      );
    },
  };
}

/** Condition that excludes the given endpoints. */
const without = (ids: readonly string[]) => (ids.length === 0 ? {} : { _id: { $nin: [...ids] } });
