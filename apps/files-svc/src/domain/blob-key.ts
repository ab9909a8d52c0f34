/**
 * Name of stored bytes. A key contains the SHA-256 of its content, so that it can be verified and never refers to
 * other bytes, and the id of its only owner. Therefore deleting the bytes of one resource never deletes another's,
 * and no Project Client learns whether another has stored the same file.
 */
export type BlobKey = string;

/** Key of the bytes of a File Object, in every state of the File Object. */
export function fileObjectBlobKey(sha256: string, fileObjectId: string): BlobKey {
  return `objects/${fanOut(sha256)}/${sha256}.${fileObjectId}`;
}

/** Key of the bytes of one version of a Public Asset. */
export function publicAssetBlobKey(sha256: string, publicAssetId: string): BlobKey {
  return `public/${fanOut(sha256)}/${sha256}.${publicAssetId}`;
}

/** The resource of a key, or null if the key does not belong to files-svc. */
export function ownerOfBlobKey(key: BlobKey): { area: "objects" | "public"; sha256: string; ownerId: string } | null {
  const match = /^(objects|public)\/[0-9a-f]{2}\/[0-9a-f]{2}\/([0-9a-f]{64})\.([0-9a-f-]{36})$/.exec(key);
  const [, area, sha256, ownerId] = match ?? [];
  if (sha256 === undefined || ownerId === undefined) return null;
  return { area: area === "public" ? "public" : "objects", sha256, ownerId };
}

/**
 * The folders of a key: two levels of 256 each. With 100 million blobs, a folder of the local store contains about
 * 1,500 of them.
 */
function fanOut(sha256: string): string {
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}`;
}
