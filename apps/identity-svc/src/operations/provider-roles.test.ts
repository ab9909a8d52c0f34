import { expect, test } from "vitest";
import { type RoleMap, readRoles } from "./provider-roles.ts";

const none: RoleMap = new Map();
const groups: RoleMap = new Map([
  ["7c4f-group", ["support"]],
  ["admins", ["operator", "viewer"]],
]);

test.each([
  ["a list", { roles: ["support", "cook"] }, "roles", none, ["support"]],
  ["one text", { roles: "support" }, "roles", none, ["support"]],
  ["Keycloak's nested claim", { realm_access: { roles: ["operator"] } }, "realm_access.roles", none, ["operator"]],
  ["a nested claim of three parts", { a: { b: { c: "viewer" } } }, "a.b.c", none, ["viewer"]],
  ["an exact name with dots", { "https://p.example/roles": ["support"] }, "https://p.example/roles", none, ["support"]],
  ["the exact name before the path", { "a.b": "support", a: { b: "operator" } }, "a.b", none, ["support"]],
  ["groups by id", { groups: ["7c4f-group"] }, "groups", groups, ["support"]],
  ["one group of several roles", { groups: ["admins"] }, "groups", groups, ["operator", "viewer"]],
  ["a name twice", { roles: ["support", "support"] }, "roles", none, ["support"]],
  ["no claim", {}, "roles", none, []],
  ["a claim that is a number", { roles: 7 }, "roles", none, []],
  ["a path through a text", { realm_access: "x" }, "realm_access.roles", none, []],
  ["a path through the prototype", {}, "constructor.name", none, []],
])("reads the roles of %s", (_what, payload, claim, map, roles) => {
  expect(readRoles(payload, claim, map)).toEqual(roles);
});
