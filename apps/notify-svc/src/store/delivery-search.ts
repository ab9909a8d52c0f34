import { defined } from "@platform/kit/process/fields";
import {
  collectionOf,
  oldestFirst,
  type Page,
  type PageRequest,
  readPage,
  type TimeSpan,
} from "@platform/kit/store/documents";
import type { Connection } from "mongoose";
import type { Channel } from "../domain/channel.ts";
import { type Delivery, type DeliveryStatus, giveUpMs } from "../domain/delivery.ts";
import { type DeliveryRecord, deliveryModel, toDelivery } from "./delivery-model.ts";

/** Filter for a list of deliveries; null matches everything. */
export type DeliveryFilter = {
  readonly projectClientId: string | null;
  readonly channel: Channel | null;
  readonly status: DeliveryStatus | null;
  readonly errorCode: string | null;
  readonly templateKey: string | null;
  readonly endpointId: string | null;
  readonly span: TimeSpan;
};

/** Result of one batch of retried deliveries. */
export type RetriedBatch = {
  readonly matched: number;
  readonly retried: number;
  readonly skipped: number;
  readonly nextCursor: string;
};

/** Searches deliveries for operators. */
export function createDeliverySearch(connection: Connection) {
  const model = deliveryModel(connection);
  const page = (filter: DeliveryFilter, request: PageRequest, options: Partial<Parameters<typeof readPage>[3]> = {}) =>
    readPage<DeliveryRecord>(model, conditionsOf(filter), request, { span: filter.span, ...options });
  return {
    /** A page of deliveries, newest first, without their content and attempts. */
    list: async (filter: DeliveryFilter, request: PageRequest): Promise<Page<Delivery>> => {
      const { items, nextCursor } = await page(filter, request, { projection: { content: 0 }, isLong: true });
      return { items: items.map((record) => toDelivery({ ...record, content: null })), nextCursor };
    },
    /**
     * Puts one page of failed deliveries back into the queue, oldest first. The order does not depend on fields that
     * a retry changes, so each delivery is processed only once, and a repeated page finds nothing to do.
     * @param isDryRun true to only count them
     */
    retryBatch: async (
      filter: DeliveryFilter,
      request: PageRequest,
      { isDryRun, now }: { readonly isDryRun: boolean; readonly now: Date },
    ): Promise<RetriedBatch> => {
      const failed = { ...filter, status: "failed" } as const;
      const { items, nextCursor } = await page(failed, request, { order: oldestFirst });
      // Verification pushes are not retried here, because their token may have been replaced. A new push is created
      // when the address is registered again.
      const sendable = items.filter(({ content, kind }) => content !== null && kind === "intent");
      const retried = isDryRun || sendable.length === 0 ? 0 : await requeue(sendable, now);
      const skipped = items.length - (isDryRun ? sendable.length : retried);
      return { matched: items.length, retried, skipped, nextCursor };
    },
  };

  async function requeue(records: readonly DeliveryRecord[], now: Date): Promise<number> {
    const { modifiedCount } = await collectionOf(model).updateMany(
      { _id: { $in: records.map(({ _id }) => _id) }, status: "failed" },
      { $set: requeued(now) },
    );
    return modifiedCount;
  }
}

/** Returns the fields with which a delivery is put back into the queue. */
export function requeued(now: Date) {
  return {
    status: "pending" as const,
    attempts: 0,
    due_at: now,
    give_up_at: new Date(now.getTime() + giveUpMs),
    last_error_code: null,
    finished_at: null,
  };
}

function conditionsOf(filter: DeliveryFilter): Record<string, unknown> {
  const { projectClientId, channel, status, errorCode, templateKey, endpointId } = filter;
  return defined({
    project_client_id: projectClientId,
    channel,
    status,
    last_error_code: errorCode,
    template_key: templateKey,
    endpoint_id: endpointId,
  });
}
