import { encodedWords, looksEncoded } from "./encoded-words.ts";

/** The header of an email for nodemailer: a text that it encodes where needed, or one that is written as it is. */
type SubjectHeader = {
  readonly Subject: string | { readonly prepared: true; readonly foldLines: true; readonly value: string };
};

/**
 * The Subject header for a subject of one line. The mail library encodes only text beyond ASCII, so an ASCII subject
 * that looks like an encoded word (`=?UTF-8?…?=`) would arrive decoded. Such a subject is encoded here (RFC 2047) and
 * therefore arrives literally.
 */
export function subjectHeader(subject: string): SubjectHeader {
  if (!looksEncoded(subject)) return { Subject: subject };
  return { Subject: { prepared: true, foldLines: true, value: encodedWords(subject) } };
}
