import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { Implementation } from "@platform/kit/rpc/server";
import { type Machine, machineOverlapSeconds } from "@platform/operator-plane/machines";
import type { ConsumerAdminService, ConsumerSchema } from "@platform/proto/events/v1/consumer_admin";
import { progressOf } from "../../store/consumer-positions.ts";
import type { EventsModels } from "../../store/models.ts";
import { lastPosition } from "../../store/read-events.ts";
import { found, operatorError } from "./schedule-messages.ts";

const overlapSecondsMax = 90 * 24 * 60 * 60;
const nameLengthMax = 120;

/** The operator RPCs for the tokens of consumers. */
export function consumerAdmin(
  { consumers, consumerPositions, event }: Pick<EventsModels, "consumers" | "consumerPositions" | "event">,
  clock: () => Date,
): Implementation<typeof ConsumerAdminService> {
  return {
    issueConsumer: async ({ projectClientId, name }) => {
      if (!isUuid(projectClientId)) throw operatorError("A Project Client's id is a UUID.");
      if ([...name].length > nameLengthMax) throw operatorError(`A name has at most ${nameLengthMax} characters.`);
      const { machine, token } = await consumers.issue(projectClientId.toLowerCase(), name, clock());
      return { consumer: toMessage(machine), token };
    },
    listConsumers: async ({ projectClientId, limit, cursor }) => {
      const page = await consumers.list(projectClientId, { limit, cursor });
      const read = await progressOf(
        consumerPositions,
        page.items.map(({ id }) => id),
      );
      const last = await lastPosition(event, projectClientId);
      const progress = ({ id }: Machine) => {
        const known = read.get(id);
        return known === undefined
          ? { lag: BigInt(last) }
          : { position: BigInt(known.position), lag: BigInt(Math.max(0, last - known.sentTo)) };
      };
      return {
        consumers: page.items.map((machine) => ({ ...toMessage(machine), ...progress(machine) })),
        nextCursor: page.nextCursor,
      };
    },
    rotateConsumer: async ({ consumerId, overlapSeconds }) => {
      const seconds = Number(overlapSeconds ?? BigInt(machineOverlapSeconds));
      if (seconds < 0 || seconds > overlapSecondsMax) {
        throw operatorError(`An overlap has 0 to ${overlapSecondsMax} seconds.`);
      }
      const now = clock();
      const rotated = await consumers.rotate(consumerId, new Date(now.getTime() + seconds * 1_000), now);
      const { machine, token } = found(rotated, "consumer that is not revoked");
      return { consumer: toMessage(machine), token };
    },
    revokeConsumer: async ({ consumerId }) => ({
      consumer: toMessage(found(await consumers.revoke(consumerId, clock()), "consumer")),
    }),
  };
}

function toMessage(machine: Machine): MessageInitShape<typeof ConsumerSchema> {
  return {
    id: machine.id,
    projectClientId: machine.bound_to,
    name: machine.name,
    createdAt: timestampFromDate(machine.created_at),
    ...optionalTimestamp("revokedAt", machine.revoked_at),
  };
}
