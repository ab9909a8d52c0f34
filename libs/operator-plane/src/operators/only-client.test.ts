import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { defined } from "@platform/kit/process/fields";
import type { ServerCall } from "@platform/kit/rpc/server";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { QuotaLevelService } from "@platform/proto/files/v1/files_service";
import { AccountAdminService, ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import { expect, it } from "vitest";
import { accessOf } from "./access.ts";
import { forOnlyClient } from "./only-client.ts";

const own = "0193a1b2-0000-7000-8000-00000000000a";
const other = "0193a1b2-0000-7000-8000-00000000000b";
const owners = { delivery_id: { collection: "deliveries" } };
const ownerOf: Readonly<Record<string, string>> = { "delivery-of-own": own, "delivery-of-other": other };

const callOf = (onlyClientId: string | undefined, contextClient: string | null = null): ServerCall =>
  ({
    operator: { subject: "ann", ...defined({ onlyClientId }) },
    projectClient: contextClient === null ? null : { id: contextClient, environment: "" },
  }) as unknown as ServerCall;

/** Calls a method whose implementation returns the request that it received. */
function run(method: DescMethod, fields: Readonly<Record<string, unknown>>, call: ServerCall): Promise<any> {
  const access = accessOf(method);
  if (access === null) throw new Error(`${method.name} is not for operators`);
  const echo = async (request: Message) => request;
  const bounded = forOnlyClient(method, access, echo, owners, async (_field, id) => ownerOf[id] ?? null);
  return (bounded as any)(create(method.input, fields), call);
}
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error: { code: string }) => error.code,
  );
const show = ProjectClientAdminService.method.showProjectClient;
const list = DeliveryAdminService.method.listDeliveries;
const showDelivery = NotifyAdminService.method.showDelivery;

it("passes on every call of an operator whose assertion is not limited to a client", async () => {
  expect(await codeOf(run(show, { projectClientId: other }, callOf(undefined)))).toBe("ok");
  expect(await codeOf(run(AccountAdminService.method.showAccount, { accountId: "a" }, callOf(undefined)))).toBe("ok");
});

it("rejects another project's client in a field, in a filter and in the context, as if it did not exist", async () => {
  expect(await codeOf(run(show, { projectClientId: own.toUpperCase() }, callOf(own)))).toBe("ok");
  expect(await codeOf(run(show, { projectClientId: other }, callOf(own)))).toBe("project_client_not_found");
  expect(await codeOf(run(list, { filter: { projectClientId: other } }, callOf(own)))).toBe("project_client_not_found");
  expect(await codeOf(run(show, { projectClientId: own }, callOf(own, other)))).toBe("project_client_not_found");
});

it("rejects a list of all projects, a search across projects, and a call about no project", async () => {
  expect(await codeOf(run(list, {}, callOf(own)))).toBe("permission_denied");
  const find = RecordSearchAdminService.method.findRecords;
  expect(await codeOf(run(find, { text: "x", projectClientIds: [own, other] }, callOf(own)))).toBe("permission_denied");
  expect(await codeOf(run(find, { text: "x", projectClientIds: [own] }, callOf(own)))).toBe("ok");
  const account = AccountAdminService.method.showAccount;
  expect(await codeOf(run(account, { accountId: "a" }, callOf(own, own)))).toBe("permission_denied");
});

it("replaces the id of another project's resource by an unknown id", async () => {
  expect((await run(showDelivery, { deliveryId: "delivery-of-own" }, callOf(own))).deliveryId).toBe("delivery-of-own");
  for (const id of ["delivery-of-other", "delivery-of-nobody"]) {
    const request = create(showDelivery.input, { deliveryId: id });
    const { deliveryId } = await run(showDelivery, request, callOf(own));
    expect(deliveryId).toMatch(/^[0-9a-f-]{36}$/);
    expect(request.deliveryId).toBe(id);
  }
});

it("uses the client of the call's context if the method's option says so", async () => {
  const level = QuotaLevelService.method.getQuotaLevel;
  expect(await codeOf(run(level, { resource: "storage_bytes" }, callOf(own, own)))).toBe("ok");
  expect(await codeOf(run(level, { resource: "storage_bytes" }, callOf(own)))).toBe("permission_denied");
});

it("rejects a stream of another project's events before its first message", async () => {
  const method = DomainEventConsumerService.method.readEvents;
  let isRead = false;
  const rpc = async function* () {
    isRead = true;
    yield {};
  };
  const bounded = forOnlyClient(method, { client: 0 }, rpc, owners, async () => null);
  const stream = (bounded as any)(create(method.input, { projectClientId: other }), callOf(own));
  expect(await codeOf(stream.next())).toBe("project_client_not_found");
  expect(isRead).toBe(false);
});
