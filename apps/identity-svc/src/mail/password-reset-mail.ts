import { html } from "@platform/kit/web/http";
import type { Language } from "../domain/page-language.ts";
import { type MailContent, mailFooter, mailLink, mailPage, mailSender } from "./mail-layout.ts";

const texts = {
  en: {
    sender: "Platform Accounts",
    subject: "Set a new password for your platform account",
    intro: (email: string) => `Someone asked for a new password for the platform account with the address ${email}.`,
    linkLabel: "Set a new password",
    linkNote: "If it was you, open this link, in any browser. It works once, within an hour:",
    ignore: "If it was not you, do nothing, and give the link to nobody. Your password is unchanged.",
  },
  ja: {
    sender: "プラットフォームアカウント",
    subject: "プラットフォームアカウントのパスワード再設定",
    intro: (email: string) =>
      `アドレス ${email} のプラットフォームアカウントについて、パスワードの再設定が請求されました。`,
    linkLabel: "新しいパスワードを設定する",
    linkNote: "ご本人の場合は、次のリンクを開いてください（どのブラウザーでも可、1時間以内に1回のみ有効）：",
    ignore: "お心当たりがない場合は、何もせず、リンクを誰にも教えないでください。パスワードは変更されていません。",
  },
} as const;

/** Writes the mail with the link for a forgotten password. */
export function passwordResetMail(mail: { language: Language; email: string; link: string }): MailContent {
  const words = texts[mail.language];
  const intro = words.intro(mail.email);
  return {
    subject: words.subject,
    text: `${[intro, words.linkNote, mail.link, words.ignore].join("\n\n")}\n`,
    html: mailPage(mail.language, [
      mailSender(words.sender),
      html`<p style="margin:0 0 24px">${intro}</p>`,
      mailLink(words.linkNote, words.linkLabel, mail.link),
      mailFooter(words.ignore),
    ]).text,
  };
}
