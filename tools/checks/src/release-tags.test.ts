import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readSource, repositoryRoot } from "./source-files.ts";

const { version } = JSON.parse(readSource("apps/notify-svc/package.json")) as { version: string };
const apps = readdirSync(join(repositoryRoot, "apps"));
/** The overlays that name versions; the images of `local` are built where it runs. */
const overlays = readdirSync(join(repositoryRoot, "k8s/overlays")).filter((name) => name !== "local");
const run = (script: string, args: readonly string[], root = repositoryRoot): string =>
  execFileSync(join(root, "tools/release", script), args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

describe("a release tag", () => {
  test("accepts a tag of an app and its package's version", () => {
    expect(run("read-tag.sh", [`notify-svc-v${version}`])).toBe(`app=notify-svc\nversion=${version}\n`);
  });

  test("accepts a tag of platformctl", () => {
    const own = JSON.parse(readSource("tools/platformctl/package.json")) as { version: string };
    expect(run("read-tag.sh", [`platformctl-v${own.version}`])).toBe(`app=platformctl\nversion=${own.version}\n`);
  });

  test.each([
    ["of another version than the package's", "notify-svc-v99.0.0", /has version/],
    ["of no app", `nothing-svc-v${version}`, /there is no app/],
    ["without a version", "notify-svc", /is not <app>-v/],
  ])("refuses the tag %s", (_name, tag, problem) => {
    expect(() => run("read-tag.sh", [tag])).toThrow(problem);
  });

  test("sets the version of its app in every overlay that names versions, and of no other app", () => {
    const root = mkdtempSync(join(tmpdir(), "release-"));
    for (const folder of ["tools/release", "k8s/overlays"])
      cpSync(join(repositoryRoot, folder), join(root, folder), { recursive: true });
    run("set-version.sh", ["notify-svc", "99.0.0"], root);
    const lines = (text: string): Set<string> => new Set(text.split("\n"));
    const changedIn = (overlay: string): string[] => {
      const path = `k8s/overlays/${overlay}/common/kustomization.yaml`;
      return [...lines(readFileSync(join(root, path), "utf8")).difference(lines(readSource(path)))];
    };
    for (const overlay of overlays)
      expect(changedIn(overlay), overlay).toEqual([
        expect.stringMatching(/name: platform\/notify-svc,.*newTag: "99\.0\.0"/),
      ]);
    expect(changedIn("local")).toEqual([]);
  });

  test.each(apps)(
    "of %s builds an image for both architectures, with the version that its CHANGELOG and overlays have",
    (app) => {
      const workflow = readSource(".github/workflows/release.yml");
      const { tags } = (parse(workflow) as { on: { push: { tags: string[] } } }).on.push;
      expect(tags.some((pattern) => matchesGlob(`${app}-v0.1.0`, pattern))).toBe(true);
      expect(workflow).toContain("uses: ./.github/workflows/publish-image.yml");
      const image = readSource(".github/workflows/publish-image.yml");
      for (const architecture of ["amd64", "arm64"]) expect(image).toContain(`architecture: ${architecture}, runner:`);
      const own = (JSON.parse(readSource(`apps/${app}/package.json`)) as { version: string }).version;
      expect(run("read-tag.sh", [`${app}-v${own}`])).toBe(`app=${app}\nversion=${own}\n`);
      for (const overlay of overlays)
        expect(readSource(`k8s/overlays/${overlay}/common/kustomization.yaml`)).toMatch(
          new RegExp(`name: platform/${app},.*newTag: "\\d+\\.\\d+\\.\\d+"`),
        );
    },
  );
});
