import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";

export const verifyEmailDeliveryEndpoint: Handler<
  (typeof notifyOperations)["notify.verifyEmailDeliveryEndpoint"]
> = async ({ params, body, call }, upstreams) => {
  const reply = await upstreams.notify.endpoints.verifyEmailDeliveryEndpoint(
    { endpointId: params.endpointId, token: body.token },
    call,
  );
  return { data: { id: reply.id, status: "verified" } };
};
