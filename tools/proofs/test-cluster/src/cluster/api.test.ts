import { expect, test } from "vitest";
import { isRolledOut, type Live } from "./api.ts";

const deployment = (status: object, replicas?: number): Live => ({
  metadata: { name: "one", uid: "1", creationTimestamp: "", generation: 2 },
  spec: { replicas },
  status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1, ...status },
});

test.each<[string, object, number | undefined, boolean]>([
  ["one available pod of the present version", {}, undefined, true],
  ["as many as are asked for", { replicas: 2, updatedReplicas: 2, availableReplicas: 2 }, 2, true],
  ["a version that no controller has seen", { observedGeneration: 1 }, undefined, false],
  ["an old pod that is left", { replicas: 2 }, undefined, false],
  ["a new pod that is not ready", { availableReplicas: undefined }, undefined, false],
  ["fewer than are asked for", {}, 2, false],
])("decides whether a Deployment with %s is rolled out", (_what, status, replicas, expected) => {
  expect(isRolledOut(deployment(status, replicas))).toBe(expected);
});
