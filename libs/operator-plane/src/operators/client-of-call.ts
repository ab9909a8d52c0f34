import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { ClientSource, type OperatorAccess } from "@platform/proto/operator/v1/access";
import { rpcName } from "./access.ts";
import { subjectOfRequest } from "./recorded-request.ts";
import type { FindOwner, ResourceOwners } from "./resource-owners.ts";

/** Finds the Project Client that a call is about, before the call runs; null where there is none, or only the reply tells. */
export type ClientOfCall = (request: object) => Promise<string | null>;

/**
 * How the option `client` of a method finds the Project Client of its calls.
 * @throws at the start of a service whose method does not say how, or names a resource that the service does not list
 */
export function clientOfCall(
  method: DescMethod,
  access: Pick<OperatorAccess, "client">,
  owners: ResourceOwners,
  findOwner: FindOwner,
): ClientOfCall {
  switch (access.client) {
    case ClientSource.REQUEST:
      return async (request) => subjectOfRequest(request).clientId;
    case ClientSource.RESOURCE: {
      const field = ownedField(method, owners);
      if (field === undefined)
        throw new Error(`${rpcName(method)} names no resource of which the service lists the owner`);
      return (request) => findOwner(field.name, String(Reflect.get(request, field.localName)));
    }
    // A record names the context's client by itself.
    case ClientSource.CONTEXT:
    case ClientSource.REPLY:
    case ClientSource.NONE:
      return async () => null;
    default:
      throw new Error(`${rpcName(method)} is recorded and does not say how its Project Client is found`);
  }
}

/** The field of a request that names a resource with an owner. */
export function ownedField({ input }: DescMethod, owners: ResourceOwners): DescField | undefined {
  return input.fields.find(({ name }) => Object.hasOwn(owners, name));
}
