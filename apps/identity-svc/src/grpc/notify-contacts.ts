import { timestampDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import { noticeTypes } from "@platform/operator-plane/platform-events";
import type { ContactNoticeService } from "@platform/proto/identity/v1/contact_notices";
import type { IdentityContext } from "../identity-context.ts";
import { tellContacts } from "../store/tell-contacts.ts";

type Rpc = Implementation<typeof ContactNoticeService>["notifyContacts"];

/** Queues emails to a project's contacts for services that report facts. */
export function notifyContacts(context: Pick<IdentityContext, "contacts" | "contactNotices" | "clock">): Rpc {
  return async ({ notices }) => {
    const checked = notices.map(({ projectClientId, type, key, dataJson, occurredAt }) => {
      if (!isUuid(projectClientId) || !noticeTypes.includes(type) || occurredAt === undefined)
        throw new ServiceError("contract_violation", "a notice must have a Project Client, a known type and a time");
      const notice = { type, key, data_json: dataJson, occurred_at: timestampDate(occurredAt) };
      return { clientId: projectClientId.toLowerCase(), notice };
    });
    await tellContacts(context, checked, context.clock());
    return {};
  };
}
