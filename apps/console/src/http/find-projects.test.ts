import { onlyWith } from "@platform/test-kit/only-with";
import { expect, it } from "vitest";
import { findProjects } from "./find-projects.ts";
import type { Visit } from "./visit.ts";

const shop = { id: "1", name: "Shop", environment: "production", disabled: false };
const forum = { id: "2", name: "Forum", environment: "sandbox", disabled: false };

it("asks identity-svc for the projects, because the console knows the names of 5,000 projects only", async () => {
  const asked: unknown[] = [];
  const ask = async (method: { name: string }, request: object) => {
    asked.push([method.name, request]);
    return { found: [{ projectClient: shop }] };
  };
  const visit = onlyWith<Visit>({ may: () => true, ask: ask as unknown as Visit["ask"] });
  expect(await findProjects(visit, ` ${"X".repeat(300)}`)).toEqual([shop]);
  expect(asked).toEqual([
    ["FindProjectClients", { text: "x".repeat(255), sort: "name", limit: 200, withoutTotal: true }],
  ]);
});

it("finds only their own projects for a member without a role on the platform", async () => {
  const visit = onlyWith<Visit>({ may: () => false, projectClients: async () => [shop, forum] });
  expect(await findProjects(visit, "OP")).toEqual([shop]);
  expect(await findProjects(visit, "2")).toEqual([forum]);
  expect(await findProjects(visit, "none")).toEqual([]);
});
