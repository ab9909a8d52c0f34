import { ConnectionError, PlatformError } from "./errors.ts";
import type { RequestOf, ResponseOf } from "./operation-types.ts";
import { pollUntil, type WaitOptions } from "./poll.ts";

export type UploadRequest = RequestOf<"files.createUploadGrant">["body"];
export type UploadGrant = ResponseOf<"files.createUploadGrant">["data"];
export type FileContentType = UploadRequest["expected_content_type"];
export type FileObject = ResponseOf<"files.completeFileObject">["data"];

/** Requests grants from the platform, and queries their outcome. */
export type UploadGrants = {
  /** `files.createUploadGrant`. */
  create(request: UploadRequest): Promise<Pick<UploadGrant, "file_object_id" | "upload_token">>;
  /** `files.completeFileObject`; null while the bytes have not arrived (`file_object_not_uploaded`). */
  complete(fileObjectId: string): Promise<Pick<FileObject, "status" | "rejection_reason"> | null>;
};

/** Result of an upload. `quarantined`: the inspection took longer than the wait; poll `files.completeFileObject`. */
export type UploadVerdict =
  | { readonly status: "available"; readonly fileObjectId: string }
  | {
      readonly status: "rejected";
      readonly fileObjectId: string;
      readonly rejectionReason: NonNullable<FileObject["rejection_reason"]>;
    }
  | { readonly status: "quarantined"; readonly fileObjectId: string };

type Sending = {
  readonly grants: UploadGrants;
  /** Sends the bytes by a token: `files.uploadFile`. */
  readonly put: (uploadToken: string) => Promise<unknown>;
  readonly signal: AbortSignal | undefined;
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

const grantsMax = 3;
/** Tries by one grant. */
const triesMax = 4;
const firstWaitMs = 500;

/**
 * Sends bytes by as many grants as needed. After a lost response, it queries whether the bytes have arrived before it
 * sends anything again, and requests a new grant only once the old token is consumed: until then the first attempt
 * might still succeed, and the file would be stored and charged twice.
 * @returns the id of the File Object whose bytes have arrived
 */
export async function sendByGrants(request: UploadRequest, sending: Sending): Promise<string> {
  for (let granted = 1; ; granted += 1) {
    const grant = await sending.grants.create(request);
    const spent = await sendByGrant(grant, sending);
    if (spent === null) return grant.file_object_id;
    if (granted >= grantsMax) throw spent;
  }
}

/** Returns null once the bytes have arrived, or the error after which the grant is of no use. */
async function sendByGrant(
  { file_object_id: fileObjectId, upload_token: uploadToken }: Pick<UploadGrant, "file_object_id" | "upload_token">,
  { grants, put, signal, wait }: Sending,
): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      signal?.throwIfAborted();
      await put(uploadToken);
      return null;
    } catch (error) {
      signal?.throwIfAborted();
      const isSpent = error instanceof PlatformError && error.code === "upload_token_invalid";
      if (!isSpent && !isUncertain(error)) throw error;
      const seen = await orUncertain(grants.complete(fileObjectId));
      if (seen !== null && !("uncertain" in seen)) return null;
      // A consumed token does not prove that the bytes have arrived. While the state is unknown, the loop asks for it again.
      if (isSpent && seen === null) return error;
      if (tries >= triesMax) throw error;
      await wait(waitBefore(error, tries), signal);
    }
  }
}

/**
 * Polls the verdict of a file whose bytes have arrived. Polling is safe to repeat, so a timeout or a lost connection
 * does not end it.
 * @throws the error of the last attempt, if no attempt got a response
 */
export async function awaitVerdict(
  grants: UploadGrants,
  fileObjectId: string,
  options: WaitOptions,
): Promise<UploadVerdict> {
  const answers: Awaited<ReturnType<UploadGrants["complete"]>>[] = [];
  const last = await pollUntil(
    async () => {
      const seen = await orUncertain(grants.complete(fileObjectId));
      if (seen === null || !("uncertain" in seen)) answers.push(seen);
      return seen;
    },
    (seen) => seen !== null && "status" in seen && (seen.status === "available" || seen.status === "rejected"),
    options,
  );
  if (answers.length === 0 && last !== null && "uncertain" in last) throw last.uncertain;
  return verdictOf(fileObjectId, answers.at(-1) ?? null);
}

/** The response, or an error after which the same request may get one. */
async function orUncertain<T>(asked: Promise<T>): Promise<T | { readonly uncertain: unknown }> {
  try {
    return await asked;
  } catch (error) {
    if (!isUncertain(error)) throw error;
    return { uncertain: error };
  }
}

function isUncertain(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof PlatformError && error.retryable);
}

function waitBefore(error: unknown, tries: number): number {
  const retryAfterSeconds = error instanceof PlatformError ? error.retryAfterSeconds : null;
  return retryAfterSeconds === null ? firstWaitMs * 2 ** (tries - 1) : retryAfterSeconds * 1000;
}

/** Converts the status of a File Object to a verdict. */
function verdictOf(fileObjectId: string, file: Pick<FileObject, "status" | "rejection_reason"> | null): UploadVerdict {
  if (file?.status === "available") return { status: "available", fileObjectId };
  if (file?.status === "rejected" && file.rejection_reason !== null) {
    return { status: "rejected", fileObjectId, rejectionReason: file.rejection_reason };
  }
  return { status: "quarantined", fileObjectId };
}
