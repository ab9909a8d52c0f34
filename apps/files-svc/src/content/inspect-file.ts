import { fileTypeFromFile } from "file-type";
import type { FileContentType, RejectionReason } from "../domain/file-object.ts";
import { type ByteFile, openByteFile } from "./byte-file.ts";
import { inspectImage } from "./inspect-image.ts";
import { inspectPdf } from "./inspect-pdf.ts";
import { inspectText } from "./inspect-text.ts";

/** Result of inspecting a file's bytes. */
export type Inspection = {
  readonly rejectionReason: RejectionReason | null;
  readonly image: { readonly width: number; readonly height: number; readonly frames: number } | null;
};

/**
 * Returns the verdict of the scan or, if the scan cannot decide, of a parser. The parser is loaded only for such
 * files, because it needs time and memory.
 */
async function inspectPdfFile(path: string, file: ByteFile): Promise<RejectionReason | null> {
  const verdict = inspectPdf(file);
  if (verdict.kind === "refused") return verdict.reason;
  if (verdict.kind === "safe") return null;
  const { isSafeDocument } = await import("./parse-pdf.ts");
  return (await isSafeDocument(path, file.size, verdict.sealedStreams)) ? null : "pdf_unsafe";
}

/**
 * Checks whether a file's bytes match the declared content type. It runs in a child process, because the bytes are
 * not trusted.
 */
export async function inspectFile(path: string, contentType: FileContentType): Promise<Inspection> {
  const file = openByteFile(path);
  try {
    if (contentType === "text/plain") {
      const reason = inspectText(file);
      // Valid text may begin with any signature, so other types are searched for only in files that are not UTF-8.
      const isOther = reason === "text_not_utf8" && (await fileTypeFromFile(path)) !== undefined;
      return { rejectionReason: isOther ? "content_type_mismatch" : reason, image: null };
    }
    // An animated PNG is also accepted as a PNG.
    const found = (await fileTypeFromFile(path))?.mime;
    const actual = found === "image/apng" ? "image/png" : found;
    if (actual !== contentType) return { rejectionReason: "content_type_mismatch", image: null };
    if (contentType === "application/pdf") return { rejectionReason: await inspectPdfFile(path, file), image: null };
    return await inspectImage(path, file, contentType);
  } finally {
    file.close();
  }
}
