/** An image that an environment runs. */
export type Image = {
  /** Name in k8s/base, such as `platform/notify-svc`. */
  readonly name: string;
  /**
   * The name with its registry, such as `registry.example:5000/platform/notify-svc`; null for an image that is built on
   * the machine where it runs.
   */
  readonly newName: string | null;
  readonly tag: string;
  /** `sha256:…`; null for a version that no release has pushed. */
  readonly digest: string | null;
};

const digestForm = /^sha256:[0-9a-f]{64}$/;
const releaseTag = /^\d+\.\d+\.\d+$/;

/** Returns the images of an app's release, by their names in k8s/base: its own image, and for a service also its backup image. */
export function imagesOf(app: string): string[] {
  return [`platform/${app}`, ...(app.endsWith("-svc") ? [`platform/${app}-backup`] : [])];
}

/**
 * Parses an image reference.
 * @param reference such as `registry.example:5000/platform/notify-svc:0.2.0@sha256:…`; the last two parts of its name
 * are those of k8s/base
 * @throws if it has no registry, no version as its tag, or no digest, because a tag can be moved to another image
 */
export function parseReference(reference: string): Image {
  const [, newName = "", name = "", tag = "", digest = ""] =
    /^([^@]+\/([^/:@]+\/[^/:@]+)):([^/:@]+)@(.+)$/.exec(reference) ?? [];
  if (name === "" || !releaseTag.test(tag) || !digestForm.test(digest))
    throw new Error(`${reference} is not <registry>/platform/<app>:<version>@sha256:<64 hexadecimal digits>`);
  return { name, newName, tag, digest };
}

/** Returns the reference by which an image is pulled. */
export function referenceOf({ name, newName, tag, digest }: Image): string {
  return `${newName ?? name}:${tag}${digest === null ? "" : `@${digest}`}`;
}

/** Matches one image in a version.yaml, in the only form that `renderVersion` writes. */
const imageForm =
  /^imageTag:\n {2}name: (\S+)\n(?: {2}newName: (\S+)\n)? {2}newTag: "(\S+)"\n(?: {2}digest: (\S+)\n)?/gm;

/** Returns the images that a version.yaml names. */
export function readVersion(text: string): Image[] {
  return [...text.matchAll(imageForm)].map(([, name = "", newName, tag = "", digest]) => ({
    name,
    newName: newName ?? null,
    tag,
    digest: digest ?? null,
  }));
}

/**
 * Renders the version.yaml of an app in one environment: kustomize transformers that set its images, and add its version to the name of its migration.
 * @throws if the images do not belong to one release of the app
 */
export function renderVersion(app: string, images: readonly Image[]): string {
  const names = images.map(({ name }) => name);
  if (names.toSorted().join() !== imagesOf(app).toSorted().join())
    throw new Error(`a release of ${app} has the images ${imagesOf(app).join(" and ")}, not ${names.join(" and ")}`);
  const tags = [...new Set(images.map(({ tag }) => tag))];
  if (tags.length > 1) throw new Error(`the images of ${app} have the versions ${tags.join(" and ")}`);
  const documents = [...images.map(imageTransformer), ...migrationName(app, tags[0] ?? "")];
  return heading(app) + documents.join("---\n");
}

const heading = (app: string): string =>
  `# The version of ${app} in this environment. Only its team changes this file, by tools/release (docs/releases.md).\n`;

function imageTransformer({ name, newName, tag, digest }: Image): string {
  const lines = [
    "apiVersion: builtin",
    "kind: ImageTagTransformer",
    `metadata: { name: ${name.split("/").at(-1)} }`,
    "imageTag:",
    `  name: ${name}`,
    ...(newName === null ? [] : [`  newName: ${newName}`]),
    `  newTag: "${tag}"`,
    ...(digest === null ? [] : [`  digest: ${digest}`]),
  ];
  return `${lines.join("\n")}\n`;
}

function migrationName(app: string, tag: string): string[] {
  if (!app.endsWith("-svc") || !releaseTag.test(tag)) return [];
  return [
    `# A Job that was applied cannot change, so that each release has its own.
apiVersion: builtin
kind: PatchTransformer
metadata: { name: ${app}-migrate }
target: { kind: Job, name: ${app}-migrate-dev }
patch: |
  - { op: replace, path: /metadata/name, value: ${app}-migrate-${tag.replaceAll(".", "-")} }
  - { op: add, path: /metadata/labels/app.kubernetes.io~1version, value: "${tag}" }
options: { allowNameChange: true }
`,
  ];
}
