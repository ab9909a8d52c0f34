/** Operators on a service's database: assertions, the record of their actions, owners of resources. What other packages may import; a module without a line here is the package's own. */
export { type AssertionSigner, createAssertionSigner } from "../../operators/assertions.ts";
export { createOperatorActionStore } from "../../operators/operator-actions.ts";
export type { ResourceOwners } from "../../operators/resource-owners.ts";
