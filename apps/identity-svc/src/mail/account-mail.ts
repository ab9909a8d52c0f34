import type { AccountMailKind } from "../domain/account-mail.ts";
import type { Language } from "../domain/page-language.ts";
import { textsOf } from "../locales/texts.ts";
import { type MailContent, mailCode, mailFooter, mailIntro, mailPage, mailSender } from "./mail-layout.ts";

/** For each kind of email, the prefix of its texts' keys and the advice for a recipient who did not expect it. */
const wordings = {
  new_address: { name: "newAddress", footer: "mail.ignoreCode" },
  address_taken: { name: "addressTaken", footer: "mail.ignoreTaken" },
  address_changed: { name: "addressChanged", footer: "mail.addressChanged.notYou" },
  password_changed: { name: "passwordChanged", footer: "mail.passwordChanged.notYou" },
} as const satisfies Record<AccountMailKind, unknown>;

/** Writes an email about a change of an account. @param code null for all kinds except `new_address` */
export function accountMail(mail: {
  sender: string | null;
  kind: AccountMailKind;
  language: Language;
  email: string;
  code: string | null;
}): MailContent {
  const { sender, kind, language, email, code } = mail;
  const texts = textsOf(language);
  const { name, footer } = wordings[kind];
  const intro = texts(`mail.${name}.intro`, { email });
  const [label, note] = [texts("mail.code"), texts("mail.code.note")];
  const text = [intro, ...(code === null ? [] : [`${label}: ${code}`, note]), texts(footer)].join("\n\n");
  return {
    subject: texts(`mail.${name}.subject`),
    text: `${text}\n`,
    html: mailPage(language, [
      mailSender(sender ?? texts("site.name")),
      mailIntro(intro),
      code !== null && mailCode(label, code, note),
      mailFooter(texts(footer)),
    ]).text,
  };
}
