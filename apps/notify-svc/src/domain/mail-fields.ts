import { isUuid } from "@platform/kit/process/secrets";
import { looksEncoded, needsSmtpUtf8, readMailbox } from "@platform/kit/web/mail";
import type { Channel } from "./channel.ts";

/**
 * Fields of an email template in addition to its texts. All values except the names of headers are Liquid. A field
 * that is not set is null.
 */
export type MailTemplate = {
  readonly attachments: readonly { readonly file: string; readonly name: string }[];
  readonly replyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** The rendered fields of an email. */
export type MailContent = {
  /** File Objects of the Project Client. */
  readonly attachments: readonly { readonly fileId: string; readonly name: string }[];
  readonly replyTo: string | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** An attached file. */
export type AttachedFile = { readonly name: string; readonly contentType: string; readonly content: Buffer };

/** Thrown for a rendered field that cannot be sent. Its message names the field. */
export class MailFieldInvalid extends Error {}

/**
 * Maximum size in bytes of all attachments of an email together. Mail servers commonly accept 25 MB, of which base64
 * leaves 18.
 */
export const attachmentBytesMax = 10 * 1024 * 1024;
const attachmentsMax = 10;
const headersMax = 10;
/**
 * Names of the headers that a template may set: those that neither the platform nor mail servers interpret. Any other
 * header could change who receives the email or what it appears to be.
 */
const headerName = /^(?:List-Id|X-[A-Za-z0-9][A-Za-z0-9-]{0,60})$/i;
/** Maximum length of a value. A header line has at most 998 characters including the name (RFC 5322 §2.1.1). */
const headerValueMax = 900;
const headerValue = /^[\x20-\x7e]*$/;
/**
 * Returns whether a header consists of parts with a meaning (RFC 2919). Its value cannot be encoded as a whole, so it
 * must not look like an encoded word, which mail programs would decode.
 */
const isStructured = (name: string): boolean => name.toLowerCase() === "list-id";
const fileNameMax = 100;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a name must not hold
const badFileName = /[\u0000-\u001f\u007f\u0085\u2028\u2029/\\]/;

/**
 * Checks the fields that are the same in every message.
 * @returns the name of the invalid field and its requirement, or null
 */
export function mailTemplateProblem(
  channel: Channel,
  { attachments, replyTo, headers }: MailTemplate,
): { readonly field: string; readonly problem: string } | null {
  const given = Object.entries({
    attachments: attachments.length > 0,
    reply_to: replyTo !== null,
    headers: Object.keys(headers).length > 0,
  });
  const [first] = given.find(([, isGiven]) => isGiven) ?? [];
  if (channel !== "email" && first !== undefined) return { field: first, problem: `a message by ${channel} has none` };
  if (attachments.length > attachmentsMax) return { field: "attachments", problem: `at most ${attachmentsMax}` };
  // The mail library writes an ASCII name as it is, and many mail programs decode it.
  if (attachments.some(({ name }) => looksEncoded(name)))
    return { field: "attachments", problem: "a name must not contain =?" };
  const names = Object.keys(headers);
  if (names.length > headersMax) return { field: "headers", problem: `at most ${headersMax}` };
  const bad = names.find((name) => !headerName.test(name));
  if (bad !== undefined)
    return { field: "headers", problem: `${bad.slice(0, 100)}: List-Id, and names that begin with X- alone` };
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    return { field: "headers", problem: "a name is given twice" };
  const encoded = names.find((name) => isStructured(name) && looksEncoded(headers[name] ?? ""));
  if (encoded !== undefined) return { field: "headers", problem: `${encoded} must not contain =?` };
  return null;
}

/** The Liquid texts of an email in addition to subject and bodies, by the names that errors use. */
export function mailSources(mail: MailTemplate | null): Record<string, string> {
  if (mail === null) return {};
  return Object.fromEntries([
    ...mail.attachments.flatMap(({ file, name }, index) => [
      [`attachments.${index}.file`, file],
      [`attachments.${index}.name`, name],
    ]),
    ...(mail.replyTo === null ? [] : [["reply_to", mail.replyTo]]),
    ...Object.entries(mail.headers).map(([name, text]) => [`headers.${name}`, text]),
  ]);
}

/**
 * Reads the rendered texts of an email. A field whose text is empty is left out, so that a condition in the template
 * can omit it.
 * @param rendered by the names of `mailSources`
 * @throws MailFieldInvalid
 */
export function readMailContent(mail: MailTemplate, rendered: Readonly<Record<string, string>>): MailContent {
  const textOf = (name: string): string => (rendered[name] ?? "").trim();
  const attachments = mail.attachments.flatMap((_attachment, index) => {
    const fileId = textOf(`attachments.${index}.file`).toLowerCase();
    const name = textOf(`attachments.${index}.name`);
    if (fileId === "") return [];
    if (!isUuid(fileId)) throw new MailFieldInvalid(`attachments.${index}.file must be the id of a File Object`);
    if (name === "" || name.length > fileNameMax || badFileName.test(name) || looksEncoded(name))
      throw new MailFieldInvalid(
        `attachments.${index}.name must have 1 to ${fileNameMax} characters, without line breaks, slashes and =?`,
      );
    return [{ fileId, name }];
  });
  const replyTo = textOf("reply_to");
  const mailbox = replyTo === "" ? null : readMailbox(replyTo);
  if (replyTo !== "" && (mailbox === null || needsSmtpUtf8(mailbox.address)))
    throw new MailFieldInvalid("reply_to must be one address, or a name with an address in angle brackets");
  const headers = Object.keys(mail.headers).flatMap((name): [string, string][] => {
    const value = textOf(`headers.${name}`);
    if (!headerValue.test(value) || value.length > headerValueMax)
      throw new MailFieldInvalid(`headers.${name} must have at most ${headerValueMax} printable ASCII characters`);
    if (isStructured(name) && looksEncoded(value)) throw new MailFieldInvalid(`headers.${name} must not contain =?`);
    return value === "" ? [] : [[name, value]];
  });
  return { attachments, replyTo: replyTo === "" ? null : replyTo, headers: Object.fromEntries(headers) };
}
