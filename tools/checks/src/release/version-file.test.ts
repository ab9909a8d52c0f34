import { readdirSync } from "node:fs";
import { join } from "node:path";
import { serviceNames, services } from "@platform/contracts/services";
import { imagesIn } from "@platform/release/environments";
import { imagesOf, parseReference, readVersion, referenceOf, renderVersion } from "@platform/release/version-file";
import { expect, test } from "vitest";
import { overlayParts } from "../manifests/overlay-parts.ts";
import { readSource, repositoryRoot } from "../source-files.ts";

const digest = `sha256:${"a".repeat(64)}`;
const registry = "registry.example:5000/team";
const release = (tag: string) =>
  imagesOf("ads-svc").map((name) => parseReference(`${registry}/${name}:${tag}@${digest}`));

test("parses the file that it renders, for a registry with a port and a folder", () => {
  const images = release("0.2.0");
  expect(readVersion(renderVersion("ads-svc", images))).toEqual(images);
  expect(images.map(referenceOf)).toEqual([
    `${registry}/platform/ads-svc:0.2.0@${digest}`,
    `${registry}/platform/ads-svc-backup:0.2.0@${digest}`,
  ]);
});

test.each([
  ["a tag alone, which can be moved to another image", "registry.example/platform/ads-svc:0.2.0"],
  ["a digest alone, by which nobody sees the version", `registry.example/platform/ads-svc@${digest}`],
  ["a tag that is no version", `registry.example/platform/ads-svc:latest@${digest}`],
  ["a digest that is too short", `registry.example/platform/ads-svc:0.2.0@${digest.slice(0, -1)}`],
  ["no registry", `platform/ads-svc:0.2.0@${digest}`],
])("refuses an image reference with %s", (_what, reference) => {
  expect(() => parseReference(reference)).toThrow(/is not <registry>/);
});

test("refuses the images of another app, of two versions, and a service without the image that backs it up", () => {
  const [own, backup] = release("0.2.0");
  if (own === undefined || backup === undefined) throw new Error("no images");
  expect(() => renderVersion("events-svc", [own, backup])).toThrow(/a release of events-svc has the images/);
  expect(() => renderVersion("ads-svc", [own])).toThrow(
    /has the images platform\/ads-svc and platform\/ads-svc-backup/,
  );
  expect(() => renderVersion("ads-svc", [own, { ...backup, tag: "0.2.1" }])).toThrow(/the versions 0.2.0 and 0.2.1/);
});

const overlays = readdirSync(join(repositoryRoot, "k8s/overlays"));
const apps = ["gateway", "console", ...serviceNames.map((name) => `${name}-svc`)];

test.each(overlays)("names the version of each app of %s in one file of its own", (overlay) => {
  expect(overlayParts(`k8s/overlays/${overlay}`).toSorted()).toEqual([...apps, "platform"].toSorted());
  for (const app of apps) {
    const tags = new Set(imagesIn(repositoryRoot, overlay, app).map(({ tag }) => tag));
    expect([app, ...tags]).toEqual([app, expect.stringMatching(overlay === "local" ? /^dev$/ : /^\d+\.\d+\.\d+$/)]);
  }
});

test.each(serviceNames)("assigns the version files of %s-svc to its team", (name) => {
  const owner = new RegExp(`^/k8s/overlays/\\*/${name}-svc/ +@platform/${services[name].team}$`, "m");
  expect(readSource(".github/CODEOWNERS")).toMatch(owner);
});
