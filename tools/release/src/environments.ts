import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Image, readVersion, renderVersion } from "./version-file.ts";

const pathOf = (environment: string, app: string): string => `k8s/overlays/${environment}/${app}/version.yaml`;

/**
 * Returns the images of an app that an environment runs. @throws if there is no such environment or app, or if its file no longer has the generated form
 */
export function imagesIn(root: string, environment: string, app: string): Image[] {
  const path = pathOf(environment, app);
  if (!existsSync(join(root, path))) throw new Error(`there is no ${path}`);
  const text = readFileSync(join(root, path), "utf8");
  const images = readVersion(text);
  if (renderVersion(app, images) !== text)
    throw new Error(
      `${path} is not as tools/release writes it; run: node tools/release/src/main.ts deploy ${environment} ${app} <image>@<digest>…`,
    );
  return images;
}

/** Sets the images that an environment runs to those of a release. Changes only the app's version.yaml. */
export function deploy(root: string, environment: string, app: string, images: readonly Image[]): void {
  imagesIn(root, environment, app);
  writeFileSync(join(root, pathOf(environment, app)), renderVersion(app, images));
}

/**
 * Sets the images that an environment runs to those of another environment: the same versions and digests, from the
 * registry that the environment already uses.
 * @throws if the other environment runs a version that no release has pushed
 */
export function promote(root: string, app: string, { from, to }: { readonly from: string; readonly to: string }): void {
  const present = imagesIn(root, to, app);
  const images = imagesIn(root, from, app).map((image) => {
    if (image.digest === null)
      throw new Error(`${pathOf(from, app)} names no digest of ${image.name}: release ${app} to ${from} first`);
    return { ...image, newName: present.find(({ name }) => name === image.name)?.newName ?? image.newName };
  });
  writeFileSync(join(root, pathOf(to, app)), renderVersion(app, images));
}
