import { fileTypeFromFile } from "file-type";
import type { FileContentType, RejectionReason } from "../domain/file-object.ts";
import { openByteFile } from "./byte-file.ts";
import { inspectImage } from "./inspect-image.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { inspectText } from "./inspect-text.ts";

/** What the bytes say of themselves. */
export type Inspection = {
  readonly rejectionReason: RejectionReason | null;
  readonly image: { readonly width: number; readonly height: number; readonly frames: number } | null;
};

/** Judges a file's bytes against the content type that was declared. Runs in a child process: nothing here trusts what it reads. */
export async function inspectFile(path: string, contentType: FileContentType): Promise<Inspection> {
  const file = openByteFile(path);
  try {
    if (contentType === "text/plain") {
      const reason = inspectText(file);
      // Valid text may begin like anything, so only what is no UTF-8 is asked what it is instead.
      const isOther = reason === "text_not_utf8" && (await fileTypeFromFile(path)) !== undefined;
      return { rejectionReason: isOther ? "content_type_mismatch" : reason, image: null };
    }
    // An animated PNG is a PNG to everyone who reads it as one.
    const found = (await fileTypeFromFile(path))?.mime;
    const actual = found === "image/apng" ? "image/png" : found;
    if (actual !== contentType) return { rejectionReason: "content_type_mismatch", image: null };
    if (contentType === "application/pdf") return { rejectionReason: inspectPdf(file), image: null };
    return await inspectImage(path, file, contentType);
  } finally {
    file.close();
  }
}
