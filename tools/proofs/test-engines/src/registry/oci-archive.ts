import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "../images/podman.ts";

const indexType = "application/vnd.oci.image.index.v1+json";
const manifestType = "application/vnd.oci.image.manifest.v1+json";
/** Media type of an in-toto statement, for example a bill of materials. */
export const statementType = "application/vnd.in-toto+json";

/** A blob of an image layout in the form in which manifests refer to it. */
type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
  readonly annotations?: Readonly<Record<string, string>>;
};

/**
 * Writes an image for one architecture in the form of `docker buildx build --sbom=true --output type=oci`: an archive
 * of an OCI image layout whose index contains the image's manifest and an attestation manifest with the bill of
 * materials (SPDX in an in-toto statement).
 * @param content content of the image's only file, so that images differ
 */
export async function writeOciArchive(folder: string, architecture: string, content: string): Promise<void> {
  const layout = join(folder, `layout-${architecture}`);
  const blobs = join(layout, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const put = (bytes: Buffer | string, mediaType: string): Descriptor => {
    const hex = createHash("sha256").update(bytes).digest("hex");
    writeFileSync(join(blobs, hex), bytes);
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(bytes) };
  };
  const putJson = (value: object, mediaType: string): Descriptor => put(JSON.stringify(value), mediaType);

  writeFileSync(join(folder, "content"), content);
  const layerFile = join(folder, `layer-${architecture}.tar`);
  await output("tar", ["-C", folder, "-cf", layerFile, "--mtime=@0", "content"]);
  const layerBytes = Buffer.from(await output("base64", ["-w0", layerFile]), "base64");
  const layer = put(layerBytes, "application/vnd.oci.image.layer.v1.tar");
  const config = putJson(
    { architecture, os: "linux", rootfs: { type: "layers", diff_ids: [layer.digest] } },
    "application/vnd.oci.image.config.v1+json",
  );
  const image = putJson({ schemaVersion: 2, mediaType: manifestType, config, layers: [layer] }, manifestType);

  const statement = {
    _type: "https://in-toto.io/Statement/v0.1",
    predicateType: "https://spdx.dev/Document",
    subject: [{ name: "platform", digest: { sha256: image.digest.slice("sha256:".length) } }],
    predicate: { spdxVersion: "SPDX-2.3", name: "platform", packages: [{ name: "node" }] },
  };
  const bill = {
    ...putJson(statement, statementType),
    annotations: { "in-toto.io/predicate-type": statement.predicateType },
  };
  const noConfig = putJson(
    { architecture: "unknown", os: "unknown", rootfs: { type: "layers", diff_ids: [bill.digest] } },
    "application/vnd.oci.image.config.v1+json",
  );
  const attestation = putJson(
    { schemaVersion: 2, mediaType: manifestType, config: noConfig, layers: [bill] },
    manifestType,
  );
  const index = putJson(
    {
      schemaVersion: 2,
      mediaType: indexType,
      manifests: [
        { ...image, platform: { architecture, os: "linux" } },
        {
          ...attestation,
          platform: { architecture: "unknown", os: "unknown" },
          annotations: {
            "vnd.docker.reference.type": "attestation-manifest",
            "vnd.docker.reference.digest": image.digest,
          },
        },
      ],
    },
    indexType,
  );
  writeFileSync(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(layout, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [index] }));
  await output("tar", ["-C", layout, "-cf", join(folder, `${architecture}.tar`), "."]);
}
