import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readVersion } from "@platform/release/version-file";
import { copyRepository, type RepositoryCopy } from "@platform/test-kit/repository-copy";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runStep, type StepRun } from "../src/workflows/run-step.ts";

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
let copy: RepositoryCopy;
let env: Record<string, string>;

/**
 * The repository to which branches and tags are pushed, and a program that replaces the hosted service's `gh` and
 * records its calls.
 */
beforeAll(() => {
  copy = copyRepository();
  const aside = join(copy.root, "node_modules/aside");
  mkdirSync(aside);
  execFileSync("git", ["init", "--quiet", "--bare", join(aside, "origin.git")]);
  git("remote", "add", "origin", join(aside, "origin.git"));
  git("push", "--quiet", "origin", "main");
  writeFileSync(join(aside, "gh"), `#!/bin/sh\nprintf '%s\\n' "$*" >> ${join(aside, "gh.log")}\n`);
  chmodSync(join(aside, "gh"), 0o755);
  env = {
    PATH: `${aside}:${process.env.PATH ?? ""}`,
    GITHUB_REPOSITORY: "example/platform",
    GITHUB_REF_NAME: "ads-svc-v0.2.0",
  };
}, 240_000);
afterAll(() => copy.close());

const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: copy.root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const step = (run: Omit<StepRun, "folder">) => runStep({ ...run, folder: copy.root, env: { ...env, ...run.env } });
const pushed = (branch: string, path: string): string => git("show", `origin/${branch}:${path}`);
const proposals = (): string => readFileSync(join(copy.root, "node_modules/aside/gh.log"), "utf8");

test("proposes the pushed images to staging in the release's steps, only in the version file of the app", () => {
  const values = {
    "needs.check.outputs.app": "ads-svc",
    "needs.check.outputs.version": "0.2.0",
    "needs.image.outputs.digest": digest("a"),
    "needs.backup-image.outputs.digest": digest("b"),
    "vars.REGISTRY": "registry.example:5000/team",
    "github.token": "token",
    "github.ref_name": "ads-svc-v0.2.0",
  };
  step({ workflow: "release.yml", job: "staging", step: "Name the pushed images in the version file", values });
  step({ workflow: "release.yml", job: "staging", step: "Propose", values });
  expect(git("diff", "--name-only", "origin/main", "HEAD").trim()).toBe("k8s/overlays/staging/ads-svc/version.yaml");
  const images = readVersion(pushed("deploy/staging/ads-svc-v0.2.0", "k8s/overlays/staging/ads-svc/version.yaml"));
  expect(images.map(({ newName, digest: own }) => [newName, own])).toEqual([
    ["registry.example:5000/team/platform/ads-svc", digest("a")],
    ["registry.example:5000/team/platform/ads-svc-backup", digest("b")],
  ]);
  expect(proposals()).toContain("pr create --title ads-svc: run 0.2.0 in staging");
}, 240_000);

test("proposes staging's versions for production on a separate branch by the promotion's steps", () => {
  const values = {
    "inputs.app": "ads-svc",
    "inputs.from": "staging",
    "inputs.to": "production",
    "github.token": "token",
  };
  step({ workflow: "promote.yml", job: "promote", step: "Promote", values });
  step({ workflow: "promote.yml", job: "promote", step: "Propose", values });
  const [image] = readVersion(
    pushed("deploy/production/ads-svc-v0.2.0", "k8s/overlays/production/ads-svc/version.yaml"),
  );
  expect(image).toMatchObject({ tag: "0.2.0", digest: digest("a") });
  expect(proposals()).toContain("pr create --title ads-svc: run 0.2.0 in production");
}, 240_000);

test("raises the version in one job of a proposed release and pushes the branch in another, which merges and is tagged", () => {
  git("switch", "--quiet", "--force-create", "main", "origin/main");
  writeFileSync(join(copy.root, ".changeset/a-change.md"), '---\n"@platform/console": minor\n---\n\nPages say why.\n');
  git("add", "--all");
  git("-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "change");
  const values = { "inputs.name": "console", "github.token": "token" };
  step({ workflow: "propose-release.yml", job: "raise", step: "Raise the version", values });
  const patch = readFileSync(join(copy.root, "release.patch"), "utf8");
  git("reset", "--quiet", "--hard");
  writeFileSync(join(copy.root, "release.patch"), patch);
  step({ workflow: "propose-release.yml", job: "propose", step: "Propose", values });
  const { version } = JSON.parse(pushed("release/console", "apps/console/package.json")) as { version: string };
  expect(pushed("release/console", "apps/console/CHANGELOG.md")).toContain(`## ${version}\n`);
  step({ workflow: "tag-release.yml", job: "tag", step: "Tag" });
  expect(git("ls-remote", "--tags", "origin")).toContain(`refs/tags/console-v${version}`);
  // Running the step again does not change the tag.
  step({ workflow: "tag-release.yml", job: "tag", step: "Tag" });
}, 240_000);

test.each(["libs/client", "tools/platformctl"])(
  "publishes %s with public access, from this repository",
  (folder) => {
    execFileSync("rm", ["-rf", join(copy.root, "package")]);
    const values = { "steps.release.outputs.folder": folder, "secrets.NPM_TOKEN": "token" };
    step({ workflow: "release-package.yml", job: "pack", step: "Pack", values });
    const [file = ""] = execFileSync("ls", [join(copy.root, "package")], { encoding: "utf8" })
      .trim()
      .split("\n");
    const manifest = execFileSync("tar", ["-xzOf", join(copy.root, "package", file), "package/package.json"], {
      encoding: "utf8",
    });
    expect(JSON.parse(manifest)).toMatchObject({ repository: { url: "git+https://github.com/example/platform.git" } });
    // The step runs everything except the upload: npm reads the option for a dry run from the environment.
    step({
      workflow: "release-package.yml",
      job: "publish",
      step: "Publish",
      values,
      env: { npm_config_dry_run: "true" },
    });
  },
  240_000,
);
