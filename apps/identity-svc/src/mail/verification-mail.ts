import type { Language } from "../domain/page-language.ts";
import { textsOf } from "../locales/texts.ts";
import { type MailContent, mailCode, mailFooter, mailIntro, mailLink, mailPage, mailSender } from "./mail-layout.ts";

/** The contents of a verification email. `code` and `link` are null if the email contains none. */
export type VerificationMail = {
  /** The platform's own name; null to use each language's name for it. */
  readonly sender: string | null;
  readonly language: Language;
  /** Name of the Project Client, as people know it. */
  readonly project: string;
  readonly email: string;
  readonly code: string | null;
  readonly link: string | null;
};

/**
 * Writes a verification email, or (without code and link) the one that reports that an account already has the address.
 */
export function verificationMail(mail: VerificationMail): MailContent {
  const { sender, language, project, email, code, link } = mail;
  const texts = textsOf(language);
  const isTaken = code === null && link === null;
  const intro = texts(isTaken ? "mail.taken.intro" : "mail.verify.intro", { project, email });
  const ignoreProof = link === null ? "mail.ignoreCode" : "mail.ignore";
  const ignore = texts(isTaken ? "mail.ignoreTaken" : ignoreProof);
  const linkNote = texts(code === null ? "mail.linkOnly.note" : "mail.link.note");
  const [label, note] = [texts("mail.code"), texts("mail.code.note")];
  const text = [
    intro,
    ...(code === null ? [] : [`${label}: ${code}`, note]),
    ...(link === null ? [] : [linkNote, link]),
    ignore,
  ].join("\n\n");
  return {
    subject: texts(isTaken ? "mail.taken.subject" : "mail.verify.subject", { project }),
    text: `${text}\n`,
    html: mailPage(language, [
      mailSender(sender ?? texts("site.name")),
      mailIntro(intro),
      code !== null && mailCode(label, code, note),
      link !== null && mailLink(linkNote, texts("mail.link"), link),
      mailFooter(ignore),
    ]).text,
  };
}
