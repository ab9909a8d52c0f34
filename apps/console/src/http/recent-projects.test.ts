import { expect, it } from "vitest";
import { recentProjects } from "./recent-projects.ts";

it("puts the project of the current page first, and lists it once", () => {
  expect(recentProjects("b.a", "c")).toEqual(["c", "b", "a"]);
  expect(recentProjects("c.b.a", "a")).toEqual(["a", "c", "b"]);
});

it("keeps five projects, and drops the one that was used longest ago", () => {
  expect(recentProjects("d.c.b.a", "e")).toEqual(["e", "d", "c", "b", "a"]);
  expect(recentProjects("e.d.c.b.a", "f")).toEqual(["f", "e", "d", "c", "b"]);
});

it("keeps the order on a page without a project, and starts with an empty list", () => {
  expect(recentProjects("b.a", undefined)).toEqual(["b", "a"]);
  expect(recentProjects(null, undefined)).toEqual([]);
});
