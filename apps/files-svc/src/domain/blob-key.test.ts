import { expect, test } from "vitest";
import { fileObjectBlobKey, ownerOfBlobKey, publicAssetBlobKey } from "./blob-key.ts";

const sha256 = `ab12${"0".repeat(60)}`;
const id = "01999999-0000-7000-8000-000000000001";

test("reads the content hash and the owner from a key", () => {
  expect(fileObjectBlobKey(sha256, id)).toBe(`objects/ab/12/${sha256}.${id}`);
  expect(ownerOfBlobKey(fileObjectBlobKey(sha256, id))).toEqual({ area: "objects", sha256, ownerId: id });
  expect(ownerOfBlobKey(publicAssetBlobKey(sha256, id))).toEqual({ area: "public", sha256, ownerId: id });
});

test("returns null for keys that do not belong to files-svc", () => {
  for (const key of ["lost+found/x", `objects/ab/12/${sha256}`, `other/ab/12/${sha256}.${id}`, `objects/../${id}`]) {
    expect(ownerOfBlobKey(key)).toBeNull();
  }
});
