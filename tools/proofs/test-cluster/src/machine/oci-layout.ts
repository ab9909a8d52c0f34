import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { output } from "@platform/test-engines/images/podman";

/** How an image is run: the `config` of the OCI image specification. */
export type ImageSettings = {
  readonly Env: readonly string[];
  readonly WorkingDir?: string;
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly StopSignal?: string;
};

type Blob = { readonly digest: string; readonly size: number };

const image = "application/vnd.oci.image";

/**
 * Writes an OCI image layout with one layer that contains the files of `root`, and an image on it for each reference.
 * containerd looks for an image by this reference.
 * @param layout folder that is replaced
 */
export async function writeLayout(
  layout: string,
  root: string,
  images: readonly { readonly reference: string; readonly settings: ImageSettings }[],
): Promise<void> {
  rmSync(layout, { recursive: true, force: true });
  const blobs = join(layout, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const packed = join(layout, "layer.tar");
  await output("tar", ["--numeric-owner", "-C", root, "-cf", packed, "."]);
  const hash = createHash("sha256");
  await pipeline(createReadStream(packed), hash);
  const layer = { digest: `sha256:${hash.digest("hex")}`, size: statSync(packed).size };
  renameSync(packed, join(blobs, layer.digest.slice("sha256:".length)));
  const add = (value: object): Blob => {
    const text = JSON.stringify(value);
    const hex = createHash("sha256").update(text).digest("hex");
    writeFileSync(join(blobs, hex), text);
    return { digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
  };
  const manifests = images.map(({ reference, settings }) => {
    const config = add({
      architecture: { x64: "amd64" }[process.arch as string] ?? process.arch,
      os: "linux",
      config: settings,
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    });
    const manifest = add({
      schemaVersion: 2,
      mediaType: `${image}.manifest.v1+json`,
      config: { mediaType: `${image}.config.v1+json`, ...config },
      layers: [{ mediaType: `${image}.layer.v1.tar`, ...layer }],
    });
    const annotations = { "io.containerd.image.name": reference };
    return { mediaType: `${image}.manifest.v1+json`, ...manifest, annotations };
  });
  writeFileSync(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(layout, "index.json"), JSON.stringify({ schemaVersion: 2, manifests }));
}
