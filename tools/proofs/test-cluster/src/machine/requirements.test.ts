import { readSource } from "@platform/checks/source-files";
import { expect, test } from "vitest";
import { packages } from "./requirements.ts";

const names = packages.map(([, name]) => name);

test("finds every package that make test-cluster requires in the job of CI", () => {
  const job = /^ {2}test-cluster:\n(?: {4}.*\n)+/m.exec(readSource(".github/workflows/ci.yml"))?.[0] ?? "";
  const installed = job.split("\n").filter((line) => line.includes("apt-get install"));
  expect(installed.flatMap((line) => line.split(/\s+/))).toEqual(expect.arrayContaining(names));
});

test("finds every package that make test-cluster requires in docs/operations.md", () => {
  const [, section = ""] = readSource("docs/operations.md").split("### A cluster without Docker");
  const [named = ""] = section.split("\n\n### ");
  for (const name of names) expect(named).toContain(`\`${name}\``);
});
