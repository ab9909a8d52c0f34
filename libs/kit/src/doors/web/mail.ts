/** Email addresses and headers. */
export { emailHint, tokenHint } from "../../web/address-hint.ts";
export { domainInAscii, isEmailAddress, normalizeEmail, storedEmailForms } from "../../web/email-address.ts";
export { encodedWords, looksEncoded } from "../../web/encoded-words.ts";
export { type Mailbox, needsSmtpUtf8, readMailbox } from "../../web/mailbox.ts";
export { senderFields } from "../../web/sender-fields.ts";
export { subjectHeader } from "../../web/subject-header.ts";
