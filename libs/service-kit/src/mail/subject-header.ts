/** Bytes of one encoded word, so that with its charset it stays within the 75 characters of RFC 2047 §2. */
const wordBytesMax = 45;

/** The header of a mail for nodemailer: a text that it encodes where needed, or one that is written as it is. */
type SubjectHeader = {
  readonly Subject: string | { readonly prepared: true; readonly foldLines: true; readonly value: string };
};

/**
 * The Subject header for a subject of one line. The mail library encodes text beyond ASCII only, so an ASCII subject that looks like an encoded word
 * (`=?UTF-8?…?=`) would arrive as what it decodes to: such a subject is encoded here (RFC 2047) and arrives literally.
 */
export function subjectHeader(subject: string): SubjectHeader {
  if (!subject.includes("=?")) return { Subject: subject };
  const words: string[] = [];
  let word = "";
  for (const character of subject.toWellFormed()) {
    if (Buffer.byteLength(word + character) > wordBytesMax) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  words.push(word);
  const value = words.map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join(" ");
  return { Subject: { prepared: true, foldLines: true, value } };
}
