/** Email addresses and headers. What other packages may import; a module without a line here is the package's own. */
export { emailHint, tokenHint } from "../../web/address-hint.ts";
export { domainInAscii, isEmailAddress, normalizeEmail, storedEmailForms } from "../../web/email-address.ts";
export { type Mailbox, needsSmtpUtf8, readMailbox } from "../../web/mailbox.ts";
export { senderFields } from "../../web/sender-fields.ts";
export { subjectHeader } from "../../web/subject-header.ts";
