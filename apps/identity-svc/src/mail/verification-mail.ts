import { html } from "@platform/kit/web/http";
import type { Language } from "../domain/page-language.ts";
import { type MailContent, mailFooter, mailLink, mailPage, mailSender } from "./mail-layout.ts";

/** What a verification mail tells. `code` and `link` are null where it carries none. */
export type VerificationMail = {
  readonly language: Language;
  /** Name of the Project Client, as people know it. */
  readonly project: string;
  readonly email: string;
  readonly code: string | null;
  readonly link: string | null;
};

const texts = {
  en: {
    sender: "Platform Accounts",
    verifySubject: (project: string) => `Confirm your email address for ${project}`,
    takenSubject: (project: string) => `You already have an account – sign in to continue with ${project}`,
    verifyIntro: (project: string, email: string) =>
      `${project} is linking an account to the address ${email}. Confirm that the address is yours to continue.`,
    takenIntro: (project: string, email: string) =>
      `Someone tried to register ${email} while linking an account with ${project}. There is an account with this address already: go back to the page you came from and sign in with your password instead.`,
    codeLabel: "Your code",
    codeNote: "It works for 10 minutes, in the window where you began.",
    linkLabel: "Confirm this address",
    linkNote: "Or open this link, in any browser. It works once, within an hour:",
    linkOnlyNote: "Open this link to confirm. It works once, within an hour:",
    ignore:
      "If you did not start this, do not use the code or the link, and give them to nobody. Without them nothing happens.",
    ignoreCode: "If you did not start this, do not use the code, and give it to nobody. Without it nothing happens.",
    ignoreTaken: "If this was not you, you need not do anything. Your account is unchanged.",
  },
  ja: {
    sender: "プラットフォームアカウント",
    verifySubject: (project: string) => `${project}：メールアドレスの確認`,
    takenSubject: (project: string) => `${project}：すでにアカウントがあります。サインインしてください`,
    verifyIntro: (project: string, email: string) =>
      `${project} のアカウント連携で、メールアドレス ${email} の確認が必要です。ご本人のアドレスであることを確認してください。`,
    takenIntro: (project: string, email: string) =>
      `${project} のアカウント連携の中で ${email} の新規登録が行われましたが、このアドレスのアカウントはすでにあります。元のページに戻り、パスワードでサインインしてください。`,
    codeLabel: "確認コード",
    codeNote: "10分間有効です。手続きを始めた画面に入力してください。",
    linkLabel: "アドレスを確認する",
    linkNote: "または、次のリンクを開いてください（どのブラウザーでも可、1時間以内に1回のみ有効）：",
    linkOnlyNote: "次のリンクを開いて確認してください（1時間以内に1回のみ有効）：",
    ignore: "お心当たりがない場合は、コードもリンクも使わず、誰にも教えないでください。使わなければ何も起こりません。",
    ignoreCode: "お心当たりがない場合は、コードを使わず、誰にも教えないでください。使わなければ何も起こりません。",
    ignoreTaken: "お心当たりがない場合は、何もする必要はありません。アカウントに変更はありません。",
  },
} as const;

/** Writes a verification mail, or (without code and link) the one that says an account has the address already. */
export function verificationMail(mail: VerificationMail): MailContent {
  const words = texts[mail.language];
  const isTaken = mail.code === null && mail.link === null;
  const intro = (isTaken ? words.takenIntro : words.verifyIntro)(mail.project, mail.email);
  const ignoreProof = mail.link === null ? words.ignoreCode : words.ignore;
  const ignore = isTaken ? words.ignoreTaken : ignoreProof;
  const linkNote = mail.code === null ? words.linkOnlyNote : words.linkNote;
  const text = [
    intro,
    ...(mail.code === null ? [] : [`${words.codeLabel}: ${mail.code}`, words.codeNote]),
    ...(mail.link === null ? [] : [linkNote, mail.link]),
    ignore,
  ].join("\n\n");
  return {
    subject: (isTaken ? words.takenSubject : words.verifySubject)(mail.project),
    text: `${text}\n`,
    html: mailPage(mail.language, [
      mailSender(words.sender),
      html`<p style="margin:0 0 24px">${intro}</p>`,
      mail.code !== null &&
        html`<p style="margin:0 0 4px;color:#475569;font-size:14px">${words.codeLabel}</p>
<p style="margin:0 0 4px;font:700 34px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${mail.code}</p>
<p style="margin:0 0 24px;color:#475569;font-size:14px">${words.codeNote}</p>`,
      mail.link !== null && mailLink(linkNote, words.linkLabel, mail.link),
      mailFooter(ignore),
    ]).text,
  };
}
