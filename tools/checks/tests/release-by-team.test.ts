import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyRepository, type RepositoryCopy } from "@platform/test-kit/repository-copy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KubernetesObject, renderer, renderOverlay } from "../src/manifests/render-overlay.ts";

const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
let copy: RepositoryCopy;

const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], {
    cwd: copy.root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const release = (...args: string[]): string =>
  execFileSync(process.execPath, ["tools/release/src/main.ts", ...args], {
    cwd: copy.root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const read = (path: string): string => readFileSync(join(copy.root, path), "utf8");
const versionOf = (app: string): string =>
  (JSON.parse(read(`apps/${app}/package.json`)) as { version: string }).version;
const nextOf = (version: string): string =>
  version.replace(/\.(\d+)\.\d+$/, (_all, minor: string) => `.${Number(minor) + 1}.0`);

/** Creates a branch from the first commit, as a team would create it, without changes that other teams have merged since. */
function branch(name: string, change: () => void): void {
  git("switch", "--quiet", "--create", name, "start");
  change();
  git("add", "--all");
  git("commit", "--quiet", "--message", name);
}

const addChangeset = (app: string, text: string): void =>
  writeFileSync(join(copy.root, `.changeset/${app}-change.md`), `---\n"@platform/${app}": minor\n---\n\n${text}\n`);

beforeAll(() => {
  copy = copyRepository();
  addChangeset("notify-svc", "Deliveries say why they wait.");
  addChangeset("events-svc", "Positions are given in one step.");
  git("add", "--all");
  git("commit", "--quiet", "--message", "changes of two teams");
  git("tag", "start");
}, 240_000);
afterAll(() => copy.close());

describe("two teams' releases", () => {
  const before = new Map<string, string>();
  const next = (app: string): string => nextOf(before.get(app) ?? "");

  test("merges release branches one after the other without a conflict, each with its own version and changelog", () => {
    const teams = ["notify-svc", "events-svc"];
    for (const app of teams) {
      before.set(app, versionOf(app));
      branch(`release/${app}`, () => release("raise", app));
    }
    git("switch", "--quiet", "main");
    for (const app of teams) git("merge", "--quiet", "--no-ff", "--no-edit", `release/${app}`);
    for (const app of teams) {
      expect(versionOf(app)).toBe(next(app));
      expect(read(`apps/${app}/CHANGELOG.md`)).toMatch(new RegExp(`^# .*\\n\\n## ${next(app)}\\n`));
      expect(git("ls-files", `.changeset/${app}-*`)).toBe("");
    }
    expect(read("apps/notify-svc/CHANGELOG.md")).toContain("Deliveries say why they wait.");
    expect(read("apps/notify-svc/CHANGELOG.md")).not.toContain("Positions are given");
    // Updates the lock file for the raised versions.
    execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts", "--offline", "--silent"], {
      cwd: copy.root,
    });
    expect(git("status", "--porcelain")).toBe("");
    expect(release("missing-tags").trim().split("\n")).toEqual(
      expect.arrayContaining(teams.map((app) => `${app}-v${next(app)}`)),
    );
    expect(release("read-tag", `notify-svc-v${next("notify-svc")}`)).toContain("folder=apps/notify-svc\n");
  }, 240_000);

  test.skipIf(renderer === null)(
    "deploys to an environment by branches that merge one after the other, each with only its own images",
    async () => {
      const deploy = (environment: string, app: string, digit: string): void => {
        const image = (name: string): string => `registry.example:5000/platform/${name}:${next(app)}@${digest(digit)}`;
        branch(`deploy/${environment}/${app}`, () =>
          release("deploy", environment, app, image(app), image(`${app}-backup`)),
        );
      };
      deploy("staging", "notify-svc", "a");
      deploy("staging", "events-svc", "b");
      git("switch", "--quiet", "main");
      for (const app of ["notify-svc", "events-svc"])
        git("merge", "--quiet", "--no-ff", "--no-edit", `deploy/staging/${app}`);
      git("switch", "--quiet", "--create", "promote", "main");
      release("promote", "notify-svc", "staging", "production");
      expect(git("status", "--porcelain").trim()).toBe("M k8s/overlays/production/notify-svc/version.yaml");

      const staging = await renderOverlay(join(copy.root, "k8s/overlays/staging"));
      const production = await renderOverlay(join(copy.root, "k8s/overlays/production"));
      expect(imagesIn(staging, "notify-svc")).toEqual([
        `registry.example:5000/platform/notify-svc-backup:${next("notify-svc")}@${digest("a")}`,
        `registry.example:5000/platform/notify-svc:${next("notify-svc")}@${digest("a")}`,
      ]);
      expect(imagesIn(staging, "events-svc")[1]).toContain(`:${next("events-svc")}@${digest("b")}`);
      // Production has its own registry, and the other team's version is not promoted together with this one.
      expect(imagesIn(production, "notify-svc")[1]).toMatch(
        new RegExp(`^registry\\.platform\\.example/platform/notify-svc:${next("notify-svc")}@${digest("a")}$`),
      );
      expect(imagesIn(production, "events-svc")[1]).toMatch(/:0\.1\.0$/);
      const jobs = staging.filter(({ kind }) => kind === "Job").map(({ metadata }) => metadata.name);
      expect(jobs).toContain(`notify-svc-migrate-${next("notify-svc").replaceAll(".", "-")}`);
    },
    240_000,
  );

  test("refuses to promote a version that no release has pushed", () => {
    expect(() => release("promote", "ads-svc", "staging", "production")).toThrow(/names no digest/);
  });

  test("raises a package that depends on another with waiting changes, and leaves those", () => {
    addChangeset("platform-local", "It is ready sooner.");
    addChangeset("platformctl", "It lists more.");
    release("raise", "platform-local");
    expect(read("tools/local/platform-local/CHANGELOG.md")).toContain("It is ready sooner.");
    const pending = release("pending").trim().split("\n");
    expect(pending).toContain("platformctl");
    expect(pending).not.toContain("platform-local");
  }, 240_000);

  test("refuses to release a package by a file that names another package too", () => {
    const file = '---\n"@platform/ads-svc": minor\n"@platform/console": minor\n---\n\nBoth.\n';
    writeFileSync(join(copy.root, ".changeset/both.md"), file);
    expect(() => release("raise", "ads-svc")).toThrow(/both\.md names @platform\/ads-svc and @platform\/console/);
  });

  test("refuses to release an app without changes", () => {
    const released = release("pending").trim().split("\n");
    expect(released).not.toContain("notify-svc");
    expect(() => release("raise", "notify-svc")).toThrow(/nothing of notify-svc waits for a release/);
  });
});

/** Returns the different images that an app's processes, Jobs and CronJobs run. */
function imagesIn(objects: readonly KubernetesObject[], app: string): string[] {
  const images = objects.flatMap(({ kind, spec }) => {
    const template = kind === "CronJob" ? spec.jobTemplate.spec.template : spec?.template;
    return (template?.spec?.containers ?? []).map(({ image }: { image: string }) => image) as string[];
  });
  return [...new Set(images.filter((image) => new RegExp(`/${app}(-backup)?:`).test(image)))].sort();
}
