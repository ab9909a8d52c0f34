/** Content types that a File Object may have, with the file extension under which each is offered. */
export const fileExtensions = {
  "application/pdf": "pdf",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "text/plain": "txt",
} as const;

export type FileContentType = keyof typeof fileExtensions;

/** Returns whether it is one of the five content types of File Objects. */
export function isFileContentType(text: string): text is FileContentType {
  return Object.hasOwn(fileExtensions, text);
}

/** Returns whether it is a content type that can be published as an image. */
export function isImageContentType(contentType: FileContentType): boolean {
  return contentType.startsWith("image/");
}

/**
 * Stored states, which are finer than those of the API. Transitions: pending_upload → uploading → quarantined →
 * available | rejected; pending_upload → expired; uploading → upload_failed, or back to pending_upload if the platform
 * interrupted it; any → deleted.
 */
export type FileObjectState =
  | "pending_upload"
  | "uploading"
  | "upload_failed"
  | "expired"
  | "quarantined"
  | "available"
  | "rejected"
  | "deleted";

/**
 * The state that the API shows. If a grant has expired or its upload has failed, the File Object will never have
 * bytes; it stays pending_upload.
 */
export type FileObjectStatus = "pending_upload" | "quarantined" | "available" | "rejected";

/**
 * The filters of the operators' list, with the stored states that belong to each. Clients do not see deleted File
 * Objects.
 */
export const statesOf: Readonly<Record<FileObjectStatus | "deleted", readonly FileObjectState[]>> = {
  pending_upload: ["expired", "pending_upload", "upload_failed", "uploading"],
  quarantined: ["quarantined"],
  available: ["available"],
  rejected: ["rejected"],
  deleted: ["deleted"],
};

/** The public status of a stored state. */
export function publicStatus(state: FileObjectState): FileObjectStatus {
  return state === "quarantined" || state === "available" || state === "rejected" ? state : "pending_upload";
}

export const rejectionReasons = [
  "malware_detected",
  "content_type_mismatch",
  "image_undecodable",
  "image_too_large",
  "text_not_utf8",
  "pdf_unsafe",
] as const;

export type RejectionReason = (typeof rejectionReasons)[number];

/** The malware scan of the bytes. `not_configured` means that there was no scanner. */
export type MalwareScan = {
  readonly result: "clean" | "infected" | "not_configured";
  /** Name of the signature that matched. */
  readonly signature: string | null;
  readonly scanned_at: Date;
};

/** Result of a finished classification. */
export type Classification = {
  /** Null if the bytes may be read. */
  readonly rejectionReason: RejectionReason | null;
  /** Null if the bytes were rejected before the scan. */
  readonly malwareScan: MalwareScan | null;
  /** Dimensions of an image, from its header. */
  readonly image: { readonly width: number; readonly height: number; readonly frames: number } | null;
};

/** A File Object without its secrets and internal fields. */
export type FileObject = {
  readonly id: string;
  readonly projectClientId: string;
  readonly state: FileObjectState;
  readonly contentType: FileContentType;
  readonly sha256: string;
  readonly maximumBytes: number;
  readonly sizeBytes: number | null;
  readonly rejectionReason: RejectionReason | null;
  readonly malwareScan: MalwareScan | null;
  /** Identifies the attempt that may write the bytes; null before the token is claimed. */
  readonly uploadId: string | null;
  readonly grantExpiresAt: Date;
  readonly chargedBytes: number;
  readonly createdAt: Date;
  readonly uploadedAt: Date | null;
  readonly deletedAt: Date | null;
};
