/** Assertions about operators, which identity-svc signs. */
export { type AssertionSigner, createAssertionSigner } from "../../operators/assertions.ts";
