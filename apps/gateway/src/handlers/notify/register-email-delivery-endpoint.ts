import type { notifyOperations } from "@platform/contracts/operations/notify";
import type { Handler } from "../../handler.ts";

export const registerEmailDeliveryEndpoint: Handler<
  (typeof notifyOperations)["notify.registerEmailDeliveryEndpoint"]
> = async ({ body, call }, upstreams) => {
  const reply = await upstreams.notify.endpoints.registerEmailDeliveryEndpoint({ address: body.address }, call);
  return {
    data: {
      id: reply.id,
      status: reply.status === "verified" ? "verified" : "pending",
      verification_token: reply.verificationToken ?? null,
    },
  };
};
