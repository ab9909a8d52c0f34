import { resources } from "@platform/contracts/operator/resources";
import { expect, it } from "vitest";
import { navigation } from "./navigation.ts";

/** Lists that another page links to, because they belong to what it shows. */
const linkedElsewhere = [
  // The page of campaigns.
  "/campaigns/keys",
  // The page of a project.
  "/brands",
  // The page of templates.
  "/templates/versions",
];

it("links in the sidebar to the list of every resource, unless another page does", () => {
  const linked = new Set([...navigation.flatMap(({ pages }) => pages.map(({ path }) => path)), ...linkedElsewhere]);
  const missing = resources.filter(({ paths }) => !linked.has(paths.list)).map(({ name }) => name);
  expect(missing, "add their lists to pages/navigation.ts").toEqual([]);
});
