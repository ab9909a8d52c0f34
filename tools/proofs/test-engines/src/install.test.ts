import { readSource } from "@platform/checks/source-files";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { programsOf } from "./install.ts";

test("finds every program that make test-engines requires in the job of CI", () => {
  const { jobs } = parse(readSource(".github/workflows/ci.yml")) as {
    jobs: Readonly<Record<string, { steps: readonly { run?: string }[] }>>;
  };
  const commands = jobs["test-engines"]?.steps.map(({ run = "" }) => run) ?? [];
  const installed = commands.filter((run) => run.includes("apt-get install")).flatMap((run) => run.split(/\s+/));
  expect(installed).toEqual(expect.arrayContaining(Object.values(programsOf).flat()));
});
