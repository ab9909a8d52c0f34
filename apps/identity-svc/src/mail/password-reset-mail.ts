import type { Language } from "../domain/page-language.ts";
import { textsOf } from "../locales/texts.ts";
import { type MailContent, mailFooter, mailIntro, mailLink, mailPage, mailSender } from "./mail-layout.ts";

/** Writes the email with the link for a forgotten password. */
export function passwordResetMail(mail: {
  sender: string | null;
  language: Language;
  email: string;
  link: string;
}): MailContent {
  const texts = textsOf(mail.language);
  const intro = texts("mail.reset.intro", { email: mail.email });
  const [note, ignore] = [texts("mail.reset.note"), texts("mail.reset.ignore")];
  return {
    subject: texts("mail.reset.subject"),
    text: `${[intro, note, mail.link, ignore].join("\n\n")}\n`,
    html: mailPage(mail.language, [
      mailSender(mail.sender ?? texts("site.name")),
      mailIntro(intro),
      mailLink(note, texts("mail.reset.link"), mail.link),
      mailFooter(ignore),
    ]).text,
  };
}
