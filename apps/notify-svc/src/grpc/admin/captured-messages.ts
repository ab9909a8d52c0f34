import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import type {
  ListCapturedMessagesRequest,
  ShowCapturedMessageRequest,
} from "@platform/proto/notify/v1/captured_message_admin";
import type { CapturedMessage } from "../../domain/capture.ts";
import { contractViolation } from "../failures.ts";
import type { RpcDeps } from "../rpc-deps.ts";
import { requireClientId } from "./require-client-id.ts";

/** Lists a page of captured messages, newest first, without their contents. */
export const listCapturedMessages =
  ({ stores }: RpcDeps) =>
  async ({ projectClientId, limit, cursor }: ListCapturedMessagesRequest) => {
    const { items, nextCursor } = await stores.captured.list(requireClientId(projectClientId), { limit, cursor });
    return { messages: items.map((message) => ({ ...encode(message), payloadJson: "" })), nextCursor };
  };

/** Shows a captured message with the contents that would have been sent. */
export const showCapturedMessage =
  ({ stores }: RpcDeps) =>
  async ({ deliveryId }: ShowCapturedMessageRequest) => {
    const found = await stores.captured.find(deliveryId.toLowerCase());
    if (found === null)
      throw contractViolation(
        "/delivery_id",
        "not_found",
        "no message of this delivery is kept; captured ones are for 7 days",
      );
    const { subject, text, html, token, unsubscribeUrl, payload } = found.content;
    return {
      message: {
        ...encode(found.message),
        ...defined({ subject, text, html, token, unsubscribeUrl }),
        payloadJson: JSON.stringify(payload),
      },
    };
  };

function encode({ deliveryId, projectClientId, channel, toHint, at }: CapturedMessage) {
  return { deliveryId, projectClientId, channel, toHint, at: timestampFromDate(at) };
}
