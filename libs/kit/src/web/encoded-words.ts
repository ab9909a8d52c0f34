/**
 * Maximum number of bytes in one encoded word. With its charset, the word then has at most the 75 characters of RFC
 * 2047 §2.
 */
const wordBytesMax = 45;

/**
 * Returns whether a mail program might read a part of this text as an encoded word (`=?UTF-8?…?=`). Such a text must
 * itself be encoded; otherwise the recipient sees the decoded form. RFC 2047 §5 forbids decoding within quotation
 * marks, but some programs do it.
 */
export function looksEncoded(text: string): boolean {
  return text.includes("=?");
}

/** Encodes a text as encoded words in UTF-8 and base64 (RFC 2047), separated by spaces. */
export function encodedWords(text: string): string {
  const words: string[] = [];
  let word = "";
  for (const character of text.toWellFormed()) {
    if (Buffer.byteLength(word + character) > wordBytesMax) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  words.push(word);
  return words.map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join(" ");
}
