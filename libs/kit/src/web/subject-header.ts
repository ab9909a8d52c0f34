import { encodedWords, looksEncoded } from "./encoded-words.ts";

/**
 * The subject of an email for nodemailer: a text that the library encodes if necessary, or a header that it writes
 * unchanged.
 */
type SubjectHeader = {
  readonly Subject: string | { readonly prepared: true; readonly foldLines: true; readonly value: string };
};

/**
 * Returns the Subject header for a subject of one line. The mail library encodes only text that is not ASCII, so an
 * ASCII subject that looks like an encoded word (`=?UTF-8?…?=`) would arrive decoded. Such a subject is encoded here
 * (RFC 2047), so that it arrives literally.
 */
export function subjectHeader(subject: string): SubjectHeader {
  if (!looksEncoded(subject)) return { Subject: subject };
  return { Subject: { prepared: true, foldLines: true, value: encodedWords(subject) } };
}
