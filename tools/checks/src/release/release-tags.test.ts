import { readdirSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { missingTags, readTag, releasedPackages } from "@platform/release/packages";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSource, repositoryRoot } from "../source-files.ts";

const released = releasedPackages(repositoryRoot);
const versionOf = (name: string): string => released.find((one) => one.name === name)?.version ?? "";
type Workflow = { readonly on: { readonly push?: { readonly tags?: readonly string[] } } };

/** Released packages that are not apps. */
const others = ["client", "platform-local", "platformctl"];

test("releases every app, the client, platformctl and the image for projects' own tests", () => {
  const apps = readdirSync(join(repositoryRoot, "apps"));
  expect(released.map(({ name }) => name).toSorted()).toEqual([...apps, ...others].toSorted());
});

test.each(released)("reads the tag of $name from its package's version", ({ name, version, folder }) => {
  expect(readTag(repositoryRoot, `${name}-v${version}`)).toMatchObject({ name, version, folder });
});

test.each([
  ["of another version than the package's", "notify-svc-v99.0.0", /has version/],
  ["of no app", `nothing-svc-v${versionOf("notify-svc")}`, /nothing named nothing-svc is released/],
  ["without a version", "notify-svc", /is not <name>-v/],
  ["of a version with an addition", "notify-svc-v0.1.0-rc", /is not <name>-v/],
])("refuses the tag %s", (_name, tag, problem) => {
  expect(() => readTag(repositoryRoot, tag)).toThrow(problem);
});

test("lists the tags of released versions that git lacks", () => {
  const all = released.map(({ name, version }) => `${name}-v${version}`);
  expect(missingTags(repositoryRoot, new Set())).toEqual(all);
  expect(missingTags(repositoryRoot, new Set(all.slice(1)))).toEqual(all.slice(0, 1));
});

test.each(released)("starts exactly one release workflow by a tag of $name", ({ name }) => {
  const workflows = readdirSync(join(repositoryRoot, ".github/workflows")).filter((file) => {
    const { on } = parse(readSource(`.github/workflows/${file}`)) as Workflow;
    return (on.push?.tags ?? []).some((pattern) => matchesGlob(`${name}-v0.1.0`, pattern));
  });
  expect(workflows).toEqual([others.includes(name) ? "release-package.yml" : "release.yml"]);
});

test("builds images for both architectures", () => {
  const image = readSource(".github/workflows/publish-image.yml");
  for (const architecture of ["amd64", "arm64"]) expect(image).toContain(`architecture: ${architecture}, runner:`);
});
