import { clone, type DescMethod, type Message } from "@bufbuild/protobuf";
import { newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { ClientSource, type OperatorAccess } from "@platform/proto/operator/v1/access";
import { namedClientOf, noSuchClient } from "./named-client.ts";
import type { Rpc } from "./protect-rpc.ts";
import type { FindOwner, ResourceOwners } from "./resource-owners.ts";

/**
 * Wraps an RPC for operators whose assertion is limited to one Project Client, as with `platformctl mcp --client`. A
 * call about another client, or about no client, is rejected. If a call names a resource of another client, an id that
 * does not exist replaces the resource's id. The RPC then responds as for any unknown resource, so the caller cannot
 * find out that the resource exists.
 * @param owners where the service stores the resources that requests name
 * @returns an RPC that also throws ServiceError project_client_not_found or permission_denied
 */
export function forOnlyClient(
  method: DescMethod,
  access: Pick<OperatorAccess, "client">,
  rpc: Rpc,
  owners: ResourceOwners,
  findOwner: FindOwner,
): Rpc {
  const clientOf = namedClientOf(method.input) ?? (() => "");
  const owned = method.input.fields.filter(({ name }) => Object.hasOwn(owners, name));
  const withinClient = async (request: Message, call: ServerCall): Promise<Message> => {
    const only = call.operator?.onlyClientId;
    if (only === undefined) return request;
    const ofContext = call.projectClient?.id ?? "";
    const named = [clientOf(request), ofContext].filter((id) => id !== "");
    if (named.some((id) => id.toLowerCase() !== only.toLowerCase())) throw noSuchClient();
    const given = owned.filter(({ localName }) => (Reflect.get(request, localName) ?? "") !== "");
    const isNamed = clientOf(request) !== "" || (access.client === ClientSource.CONTEXT && ofContext !== "");
    if (!isNamed && given.length === 0)
      throw new ServiceError("permission_denied", "This sign-in is for one Project Client; this call is not about it.");
    const foreign = await Promise.all(
      given.map(async ({ name, localName }) => {
        const owner = await findOwner(name, String(Reflect.get(request, localName)));
        return owner?.toLowerCase() === only.toLowerCase() ? [] : [localName];
      }),
    );
    if (foreign.flat().length === 0) return request;
    const copy = clone(method.input, request);
    for (const field of foreign.flat()) Reflect.set(copy, field, newId());
    return copy;
  };
  if (method.methodKind === "server_streaming") {
    const run = rpc as unknown as (request: Message, call: ServerCall) => AsyncIterable<object>;
    return async function* (request: Message, call: ServerCall) {
      yield* run(await withinClient(request, call), call);
    } as Rpc;
  }
  const run = rpc as unknown as (request: Message, call: ServerCall) => Promise<object>;
  return (async (request: Message, call: ServerCall) => run(await withinClient(request, call), call)) as Rpc;
}
