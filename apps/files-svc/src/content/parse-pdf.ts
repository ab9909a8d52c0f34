import { readFile } from "node:fs/promises";
import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFInvalidObject,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFStream,
} from "@cantoo/pdf-lib";
import { namesInside } from "./inspect-pdf.ts";
import { holdsUnsafeName, mayHoldUnsafeName } from "./pdf-names.ts";

/** Maximum size of a document that is parsed as a whole, in memory. */
const documentBytesMax = 64 * 1024 * 1024;

/**
 * The second check of a PDF. It parses the whole document, with the empty user password if it is encrypted, and looks
 * for unsafe names in every object. Returns false for documents that cannot be read because they are too large,
 * broken or need a password.
 * @param sealedStreams number of encrypted object streams in the file, each of which must have been read
 */
export async function isSafeDocument(path: string, sizeBytes: number, sealedStreams: number): Promise<boolean> {
  if (sizeBytes > documentBytesMax) return false;
  try {
    const document = await PDFDocument.load(await readFile(path), {
      password: "",
      updateMetadata: false,
      preserveXFA: true,
    });
    return isSafe(document, sealedStreams);
  } catch {
    return false;
  }
}

function isSafe({ context }: PDFDocument, sealedStreams: number): boolean {
  let streams = 0;
  const { trailerInfo } = context;
  const roots = [trailerInfo.Root, trailerInfo.Info].filter((root) => root !== undefined);
  for (const object of [...roots, ...context.enumerateIndirectObjects().map(([, each]) => each)]) {
    if (object instanceof PDFInvalidObject ? isUnclear(object) : holdsUnsafeName(namesOf(object))) return false;
    if (!(object instanceof PDFRawStream) || !isObjectStream(object.dict)) continue;
    streams += 1;
    // An object of an earlier stream may be replaced by one with the same number in a later stream, so all streams
    // are checked.
    if (holdsUnsafeName(namesInside(decodePDFRawStream(object).decode()))) return false;
  }
  return streams >= sealedStreams;
}

/**
 * Returns whether an object that the parser cannot read could contain an unsafe name. The cross-reference streams of
 * encrypted documents are such objects: they are not encrypted, but the parser decrypts them.
 */
function isUnclear(object: PDFInvalidObject): boolean {
  const bytes = Buffer.alloc(object.sizeInBytes());
  object.copyBytesInto(bytes, 0);
  return mayHoldUnsafeName(bytes.toString("latin1"));
}

function isObjectStream(dictionary: PDFDict): boolean {
  return dictionary.has(PDFName.of("N")) && dictionary.has(PDFName.of("First"));
}

/**
 * Returns every name in an object, at any depth, with its #xx escapes decoded. References are not followed, because
 * every object is checked separately.
 */
function namesOf(root: PDFObject): ReadonlySet<string> {
  const names = new Set<string>();
  const open: PDFObject[] = [root];
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    if (object instanceof PDFName) names.add(object.decodeText());
    else if (object instanceof PDFArray) open.push(...object.asArray());
    else if (object instanceof PDFStream) open.push(object.dict);
    else if (object instanceof PDFDict) for (const [name, value] of object.entries()) open.push(name, value);
  }
  return names;
}
