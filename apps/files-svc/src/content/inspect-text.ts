import type { RejectionReason } from "../domain/file-object.ts";
import { type ByteFile, latin1Chunks } from "./byte-file.ts";
import { endsAsZip, opensAsPdf, textHoldsMarkup } from "./markup.ts";

/** Beginnings of other text formats. */
const otherFormats = /^(?:\ufeff|\s)*(?:<\?xml\s|\{\\rtf|%!PS)/;
/** Control characters that plain text does not contain (WHATWG MIME Sniffing, "binary data byte"). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const binaryBytes = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/**
 * Checks plain text. Text has no signature, so the rules are our own: it must be valid UTF-8, contain no binary
 * bytes, not begin like another text format, and contain nothing that a browser would execute.
 */
export function inspectText(file: ByteFile): RejectionReason | null {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let foreign = opensAsPdf(file) || endsAsZip(file);
  let decodedTo = 0;
  for (const { text, offset } of latin1Chunks(file, 32)) {
    // The chunks overlap so that patterns are not split. The decoder must read every byte only once.
    const fresh = Buffer.from(text.slice(decodedTo - offset), "latin1");
    decodedTo = offset + text.length;
    const decoded = decode(decoder, fresh, decodedTo < file.size);
    if (decoded === null) return "text_not_utf8";
    foreign ||= binaryBytes.test(decoded) || textHoldsMarkup(text, offset === 0);
    foreign ||= offset === 0 && otherFormats.test(decoded.slice(0, 1024));
  }
  return foreign ? "content_type_mismatch" : null;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, stream: boolean): string | null {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    return null;
  }
}
