import { ServiceError } from "@platform/kit/rpc/errors";
import type { FileObject } from "../domain/file-object.ts";
import type { FileObjectStore } from "../store/file-objects.ts";

/**
 * Returns a File Object of this Project Client.
 * @throws ServiceError file_object_not_found, even if another client has the File Object
 */
export async function requireFileObject(files: FileObjectStore, clientId: string, id: string): Promise<FileObject> {
  const file = await files.find(clientId, id);
  if (file === null)
    throw new ServiceError("file_object_not_found", "This Project Client has no File Object with this id.");
  return file;
}

/**
 * Returns a File Object of this Project Client if its bytes may be read.
 * @throws ServiceError file_object_not_found, file_object_not_available
 */
export async function requireAvailableFileObject(
  files: FileObjectStore,
  clientId: string,
  id: string,
): Promise<FileObject> {
  const file = await requireFileObject(files, clientId, id);
  if (file.state !== "available") {
    throw new ServiceError(
      "file_object_not_available",
      "The File Object is not available: complete its upload first; a rejected file stays rejected.",
    );
  }
  return file;
}
