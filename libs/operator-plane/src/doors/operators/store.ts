/** Operators on a service's database: assertions, the record of their actions, owners of resources. */
export { type AssertionSigner, createAssertionSigner } from "../../operators/assertions.ts";
export { createOperatorActionStore } from "../../operators/operator-actions.ts";
export type { ResourceOwners } from "../../operators/resource-owners.ts";
