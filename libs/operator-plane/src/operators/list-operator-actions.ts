import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { isUuid } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { digestOf } from "./action.ts";
import type { OperatorAction, OperatorActionStore } from "./operator-actions.ts";

const limitDefault = 50;
const limitMax = 200;

/** Lists the recorded operator actions of this service. */
export function listOperatorActions(
  store: OperatorActionStore,
): Implementation<typeof OperatorActionAdminService>["listOperatorActions"] {
  return async ({ limit, cursor, who, rpc, clientId, since, correlationId }) => {
    if (limit > limitMax) throw new ServiceError("contract_violation", `limit is at most ${limitMax}.`);
    if (cursor !== "" && !isUuid(cursor))
      throw new ServiceError("contract_violation", "The cursor is none of this list.");
    const { actions, nextCursor } = await store.list({
      limit: limit === 0 ? limitDefault : limit,
      cursor,
      who,
      rpc,
      clientId,
      correlationId,
      since: since === undefined ? null : timestampDate(since),
    });
    return { actions: actions.map(actionMessage), nextCursor };
  };
}

function actionMessage(action: OperatorAction) {
  const {
    id,
    at,
    who,
    name,
    roles,
    rpc,
    client_id,
    resource,
    reason,
    correlation_id,
    outcome,
    error,
    request_json,
    via,
    asked_by,
  } = action;
  return {
    id,
    at: timestampFromDate(at),
    who,
    name,
    roles: [...roles],
    rpc,
    ...defined({ clientId: client_id, resource, reason, error, via, askedBy: asked_by }),
    correlationId: correlation_id,
    outcome,
    requestJson: request_json,
    ...(outcome === "started" ? {} : { digest: digestOf(action) }),
  };
}
