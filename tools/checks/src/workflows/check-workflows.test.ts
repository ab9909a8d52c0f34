import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSource, repositoryRoot } from "../source-files.ts";
import { checkWorkflow } from "./check-workflows.ts";

const commit = "08c6903cd8c0fde910a37f88322edcfb5dd907a8";
const secret = ["$", "{{ secrets.KEY }}"].join("");
const digest = `sha256:${"0".repeat(64)}`;
const workflow = (job: string): string =>
  `permissions:\n  contents: read\njobs:\n  one:\n${job.replaceAll(/^/gm, "    ")}`;

test.each(readdirSync(join(repositoryRoot, ".github/workflows")))("finds no problem in %s", (name) => {
  expect(checkWorkflow(name, readSource(`.github/workflows/${name}`))).toEqual([]);
});

describe("a workflow that publishes", () => {
  const tests = "  tests:\n    uses: ./.github/workflows/tests.yml\n";
  const head = "permissions: { contents: read }\njobs:\n";
  const image = (needs: string): string =>
    `  image:\n    needs: [${needs}]\n    uses: ./.github/workflows/publish-image.yml\n`;
  const check = (needs: string): string => `  check:\n    needs: [${needs}]\n    steps: [{ run: "true" }]\n`;

  test.each([
    ["an image without any tests", head + image("")],
    ["an image beside the tests, not after them", head + tests + image("")],
    ["an image after a job that does not wait for the tests", head + tests + check("") + image("check")],
    ["a package without any tests", `${head}  publish:\n    steps: [{ run: npm publish --access public }]\n`],
  ])("rejects a workflow for %s", (_what, text) => {
    expect(checkWorkflow("a.yml", text)).toEqual([expect.stringMatching(/publishes before the tests of its commit/)]);
  });

  test.each([
    ["after the tests", head + tests + image("tests")],
    ["after a job that waits for the tests", head + tests + check("tests") + image("check")],
  ])("allows publishing an image %s", (_what, text) => {
    expect(checkWorkflow("a.yml", text)).toEqual([]);
  });
});

describe("a workflow", () => {
  test("rejects a workflow without its own permissions", () => {
    expect(checkWorkflow("a.yml", "jobs: {}")).toEqual([expect.stringContaining("has no permissions")]);
  });

  test.each([
    ["an action by tag", "steps: [{ uses: actions/checkout@v5 }]", /uses actions\/checkout@v5/],
    ["a reusable workflow by branch", "uses: someone/else/.github/workflows/a.yml@main", /uses someone/],
    [
      "a loop over a command",
      "steps: [{ run: for one in $(false); do verify $one; done }]",
      /loops over a command, whose failure/,
    ],
    ["a privileged container", "steps: [{ run: docker run --privileged --rm a/b }]", /privileged/],
    [
      "an image by tag in a job with an identity token",
      "permissions: { id-token: write }\nsteps: [{ run: docker run --rm -e A -v b:c a/b:v1 sign }]",
      /runs a\/b:v1; name its digest/,
    ],
    [
      "an image by tag on a continued line in a job with a secret",
      `steps: [{ run: "docker run --rm \\\\\\n  a/b:v1 sign", env: { KEY: "${secret}" } }]`,
      /runs a\/b:v1/,
    ],
    [
      "a build in a job that may write packages",
      "permissions: { packages: write }\nsteps: [{ run: docker buildx create --use }]",
      /builds an image/,
    ],
    [
      "an installation in a job with a secret",
      `steps: [{ run: npm ci, env: { KEY: "${secret}" } }]`,
      /installs packages/,
    ],
  ])("rejects a workflow for %s", (_what, job, problem) => {
    expect(checkWorkflow("a.yml", workflow(job))).toEqual([expect.stringMatching(problem)]);
  });

  test.each([
    ["an action by commit and one of its own", `steps: [{ uses: actions/checkout@${commit} }, { uses: ./own }]`],
    [
      "an image by tag in a job that only reads",
      "permissions: { contents: read }\nsteps: [{ run: docker run a/b:v1 }]",
    ],
    [
      "an image by digest beside a token",
      `permissions: { id-token: write }\nsteps: [{ run: "docker run --rm a/b@${digest} x" }]`,
    ],
  ])("allows %s", (_what, job) => {
    expect(checkWorkflow("a.yml", workflow(job))).toEqual([]);
  });
});
