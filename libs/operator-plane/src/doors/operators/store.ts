/** Operators' assertions, and where a service keeps the resources that operators name. */
export { type AssertionSigner, createAssertionSigner } from "../../operators/assertions.ts";
export type { ResourceOwners } from "../../operators/resource-owners.ts";
