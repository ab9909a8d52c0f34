import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { readSource } from "../source-files.ts";

type Step = {
  readonly id?: string;
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
};
type Job = { readonly env?: Readonly<Record<string, string>>; readonly steps?: readonly Step[] };

/** A shell step of a workflow, with its environment. */
export type StepRun = {
  readonly workflow: string;
  readonly job: string;
  /** Name or id of the step. */
  readonly step: string;
  /** Values of the expressions in its environment, such as `inputs.app`. */
  readonly values?: Readonly<Record<string, string>>;
  /** The checkout that it runs in. */
  readonly folder: string;
  /** Variables of the machine, such as PATH and GITHUB_REPOSITORY. */
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * Runs a shell step as the hosted service would: with a bash that exits at the first error, and the environment of its
 * job and of the step.
 * @returns the content that the step wrote to GITHUB_OUTPUT
 * @throws if the step fails, does not exist, or has an expression without a value
 */
export function runStep({
  workflow,
  job,
  step,
  values = {},
  folder,
  env = {},
}: StepRun): Readonly<Record<string, string>> {
  const { jobs } = parse(readSource(`.github/workflows/${workflow}`)) as { jobs: Readonly<Record<string, Job>> };
  const found = jobs[job]?.steps?.find(({ id, name }) => id === step || name === step);
  if (found?.run === undefined) throw new Error(`${workflow}: job ${job} has no shell step ${step}`);
  const given = { ...jobs[job]?.env, ...found.env };
  const evaluated = Object.entries(given).map(([name, text]) => [name, evaluate(text, values)]);
  const output = join(mkdtempSync(join(tmpdir(), "step-")), "output");
  writeFileSync(output, "");
  execFileSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", found.run], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: folder,
      ...env,
      ...Object.fromEntries(evaluated),
      GITHUB_OUTPUT: output,
    },
  });
  const lines = readFileSync(output, "utf8").split("\n");
  return Object.fromEntries(lines.flatMap((line) => (line.includes("=") ? [line.split(/=(.*)/s).slice(0, 2)] : [])));
}

function evaluate(text: string, values: Readonly<Record<string, string>>): string {
  return String(text).replace(/\$\{\{ *(.*?) *\}\}/g, (_all, expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`the expression ${expression} has no value`);
    return value;
  });
}
