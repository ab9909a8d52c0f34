import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ConsumerAdminService, ConsumerSchema } from "@platform/proto/events/v1/consumer_admin";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import { type Machine, type MachineTokens, machineOverlapSeconds } from "@platform/service-kit/mongo/machine-tokens";
import { isUuid } from "@platform/service-kit/secrets/id";
import { found, operatorError } from "./schedule-messages.ts";

const overlapSecondsMax = 90 * 24 * 60 * 60;
const nameLengthMax = 120;

/** The operator RPCs of consumers' tokens. */
export function consumerAdmin(
  consumers: MachineTokens,
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
      return { consumers: page.items.map(toMessage), nextCursor: page.nextCursor };
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
    ...(machine.revoked_at === null ? {} : { revokedAt: timestampFromDate(machine.revoked_at) }),
  };
}
