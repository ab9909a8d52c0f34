/** The parts of an image's reference, such as `registry.example:5000/platform/notify-svc-backup:0.2.0@sha256:…`. */
export type ImageName = {
  /** Registry, folder and name, without tag and digest. */
  readonly repository: string;
  /** The digest; empty if the reference has none. */
  readonly tag: string;
  readonly digest: string;
  /** The app whose sources it contains: `notify-svc` for its own image and for the one that backs it up. */
  readonly app: string;
  readonly isBackup: boolean;
};

export function parseImage(image: string): ImageName {
  const [, repository = image, tag = "", digest = ""] = /^(.+?)(?::([^/:@]+))?(?:@(.+))?$/.exec(image) ?? [];
  const name = repository.split("/").at(-1) ?? "";
  return { repository, tag, digest, app: name.replace(/-backup$/, ""), isBackup: name.endsWith("-backup") };
}
