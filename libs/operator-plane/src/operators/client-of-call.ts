import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { ClientSource, type OperatorAccess } from "@platform/proto/operator/v1/access";
import { rpcName } from "./access.ts";
import { subjectOfRequest } from "./recorded-request.ts";
import type { FindOwner, ResourceOwners } from "./resource-owners.ts";

/**
 * Finds the Project Client that a call concerns, before the call runs. Returns null if there is none, or if only the
 * reply contains it.
 */
export type ClientOfCall = (request: object) => Promise<string | null>;

/**
 * Returns the function that finds the Project Client of a method's calls in the way that the method's option `client`
 * declares.
 * @throws at the start of a service if a method does not declare the option, or declares a resource that the service
 * does not list
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
    // The record already contains the client of the call's context.
    case ClientSource.CONTEXT:
    case ClientSource.REPLY:
    case ClientSource.NONE:
      return async () => null;
    default:
      throw new Error(`${rpcName(method)} is recorded and does not say how its Project Client is found`);
  }
}

/** Returns the field of a request that names a resource with an owner. */
export function ownedField({ input }: DescMethod, owners: ResourceOwners): DescField | undefined {
  return input.fields.find(({ name }) => Object.hasOwn(owners, name));
}
