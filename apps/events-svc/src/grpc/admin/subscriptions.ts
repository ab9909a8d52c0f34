import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import type { Implementation } from "@platform/kit/rpc/server";
import type { SubscriptionAdminService, SubscriptionSchema } from "@platform/proto/events/v1/subscription_admin";
import { filterProblem } from "../../domain/event-filter.ts";
import type { Subscription, SubscriptionOrder } from "../../domain/subscription.ts";
import { typePatternsProblem } from "../../domain/type-pattern.ts";
import { lastPublishedPosition } from "../../store/read-events.ts";
import { findOperation } from "../../store/scheduled-operations.ts";
import {
  addReplay,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  progressOf,
  type SubscriptionModels,
  setSubscriptionStatus,
} from "../../store/subscriptions.ts";
import { requireKeptFrom } from "./kept-events.ts";
import { found, operatorError, statusReasonMessage } from "./schedule-messages.ts";

/** The operator RPCs for subscriptions. */
export function subscriptionAdmin(
  models: SubscriptionModels,
  clock: () => Date,
): Implementation<typeof SubscriptionAdminService> {
  const message = async (subscription: Subscription): Promise<MessageInitShape<typeof SubscriptionSchema>> => ({
    id: subscription.id,
    projectClientId: subscription.project_client_id,
    operationId: subscription.operation_id,
    types: [...subscription.types],
    ...defined({ filter: subscription.filter }),
    order: subscription.order,
    status: subscription.status,
    ...positions(await progressOf(models, subscription)),
    createdAt: timestampFromDate(subscription.created_at),
    ...defined({ statusReason: statusReasonMessage(subscription.status_reason) }),
  });
  const required = async (id: string): Promise<Subscription> =>
    found(await findSubscription(models, id), "subscription");
  /**
   * Returns the changed subscription. Throws if there was no active or paused one to change, because it is unknown or
   * has ended.
   */
  const notEnded = async (id: string, changed: Subscription | null): Promise<Subscription> => {
    if (changed !== null) return changed;
    await required(id);
    throw operatorError(
      "The subscription has ended: its target answered 410. Create another one with --from its position.",
    );
  };
  return {
    createSubscription: async ({ operationId, types, afterPosition, order, filter }) => {
      checkTypes(types);
      const problem = filter === undefined ? null : filterProblem(filter);
      if (problem !== null) throw operatorError(problem);
      const operation = found(await findOperation(models.schedule, operationId), "scheduled operation");
      if (operation.status === "disabled") {
        throw operatorError("The operation is disabled; enable it first: schedules enable --operation ID.");
      }
      const { project_client_id } = operation;
      const from = afterPosition === undefined ? null : readPosition(afterPosition);
      if (from !== null) await requireKeptFrom(models.event, project_client_id, from);
      const fields = {
        types: [...new Set(types)],
        ...defined({ filter }),
        order: readOrder(order),
        recorded_to: from ?? (await lastPublishedPosition(models.event, project_client_id)),
      };
      return { subscription: await message(await createSubscription(models, operation, fields, clock())) };
    },
    listSubscriptions: async ({ projectClientId, limit, cursor }) => {
      const page = await listSubscriptions(models, projectClientId, { limit, cursor });
      return { subscriptions: await Promise.all(page.items.map(message)), nextCursor: page.nextCursor };
    },
    getSubscription: async ({ subscriptionId }) => ({ subscription: await message(await required(subscriptionId)) }),
    pauseSubscription: async ({ subscriptionId }) => {
      const changed = await setSubscriptionStatus(models, subscriptionId, "paused", clock());
      return { subscription: await message(await notEnded(subscriptionId, changed)) };
    },
    resumeSubscription: async ({ subscriptionId }) => {
      const changed = await setSubscriptionStatus(models, subscriptionId, "active", clock());
      return { subscription: await message(await notEnded(subscriptionId, changed)) };
    },
    deleteSubscription: async ({ subscriptionId }) => {
      if (!(await deleteSubscription(models, subscriptionId))) throw operatorError("There is no such subscription.");
      return {};
    },
    replaySubscription: async ({ subscriptionId, afterPosition, toPosition }) => {
      const { recorded_to, project_client_id } = await required(subscriptionId);
      await requireKeptFrom(models.event, project_client_id, readPosition(afterPosition));
      // The replay ends at the current position, because later events are delivered in any case.
      const to = Math.min(toPosition === undefined ? recorded_to : readPosition(toPosition), recorded_to);
      const changed = await addReplay(models, subscriptionId, { after: readPosition(afterPosition), to });
      return { subscription: await message(await notEnded(subscriptionId, changed)), toPosition: BigInt(to) };
    },
  };
}

function positions({ position, lag, failures }: { position: number; lag: number; failures: number }) {
  return { position: BigInt(position), lag: BigInt(lag), failures: BigInt(failures) };
}

function checkTypes(types: readonly string[]): void {
  if (types.length === 0) throw operatorError("A subscription needs at least one type.");
  const problem = typePatternsProblem(types);
  if (problem !== null) throw operatorError(problem);
}

function readOrder(order: string): SubscriptionOrder {
  if (order === "" || order === "none") return "none";
  if (order === "stream") return "stream";
  throw operatorError("The order must be none or stream.");
}

function readPosition(position: bigint): number {
  const value = Number(position);
  if (!Number.isSafeInteger(value) || value < 0) throw operatorError("A position is a whole number from 0.");
  return value;
}
