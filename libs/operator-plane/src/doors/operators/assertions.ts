/** Operators' assertions, which identity-svc signs. */
export { type AssertionSigner, createAssertionSigner } from "../../operators/assertions.ts";
