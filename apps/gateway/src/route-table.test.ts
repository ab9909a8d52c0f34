import { operationList } from "@platform/contracts/operations";
import { describe, expect, test } from "vitest";
import { createRouteTable } from "./route-table.ts";

const match = createRouteTable(operationList);

describe("the route table", () => {
  test.each(operationList.map((operation) => [operation.id, operation] as const))(
    "%s is found by its method and path",
    (id, operation) => {
      const path = operation.path.replace(/\{[^}]+\}/g, "value");
      const found = match(operation.method, path);
      expect(found.kind === "operation" && found.operation.id).toBe(id);
    },
  );

  test("parameters are decoded; a malformed encoding is left for the schema to refuse", () => {
    const path = "/notification-endpoints/e/consents/";
    expect(match("PUT", `${path}a%2Fb`)).toMatchObject({ kind: "operation", rawParams: { purpose: "a/b" } });
    expect(match("PUT", `${path}a%zz`)).toMatchObject({ kind: "operation", rawParams: { purpose: "a%zz" } });
  });

  test("a known path with another method names the methods it has", () => {
    expect(match("PATCH", "/notification-endpoints/e")).toMatchObject({
      kind: "method_not_allowed",
      methods: ["GET", "HEAD", "DELETE"],
    });
  });

  test.each([
    "/",
    "",
    "/health/",
    "//health",
    "/health/x",
    "/notification-endpoints//verify",
    "/{}",
    "/file-objects/{}/complete/",
  ])("%j is no operation", (path) => {
    expect(match("GET", path).kind).toBe("not_found");
  });
});
