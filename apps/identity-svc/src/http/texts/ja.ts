import type { Texts } from "./en.ts";

/** The words of the hosted pages in Japanese. */
export const ja: Texts = {
  siteName: "プラットフォームアカウント",
  errorPrefix: "エラー：",
  stepOf: (step, steps) => `ステップ ${step}／${steps}`,
  cancel: (project) => `中止して ${project} に戻る`,
  signedInAs: "サインイン中のアカウント",
  registeringAs: "登録するアドレス",
  otherAccount: "別のアカウントを使う",
  email: "メールアドレス",
  password: "パスワード",
  problemTitle: "入力内容を確認してください",

  signInTitle: "サインインしてアカウントを連携",
  signInIntro: (project) =>
    `${project} のアカウントを、プラットフォームアカウントに連携します。続けるにはサインインしてください。`,
  signInButton: "サインイン",
  signInRefused: "メールアドレスまたはパスワードが正しくありません。",
  signInLocked: "試行回数が多すぎます。15分待ってから、もう一度お試しください。",
  noAccountYet: "アカウントをお持ちでない場合：",
  registerLink: "新規登録",

  forgotLink: "パスワードをお忘れですか？",
  forgotTitle: "パスワードをお忘れの場合",
  forgotIntro:
    "プラットフォームアカウントのメールアドレスを入力してください。新しいパスワードを設定するリンクをお送りします。",
  forgotAskedTitle: "メールを確認してください",
  forgotAsked:
    "このアドレスのアカウントがある場合は、リンクを記載したメールをお送りします。リンクは1時間以内に1回だけ使えます。数分待っても届かない場合は、迷惑メールのフォルダーを確認してください。",
  backToSignIn: "サインインに戻る",
  resetTitle: "新しいパスワードの設定",
  resetIntro:
    "プラットフォームアカウントの新しいパスワードを決めてください。設定すると、すべての端末からサインアウトします。",
  resetButton: "パスワードを設定する",
  changedTitle: "パスワードを変更しました",
  changedText:
    "すべての端末からサインアウトしました。手続きを始めた画面で、新しいパスワードを使ってサインインしてください。",

  registerTitle: "新規登録してアカウントを連携",
  registerIntro: (project) =>
    `${project} に登録されているメールアドレスで、新しいアカウントを作成します。パスワードを決めてください。確認のメールをお送りします。`,
  newPassword: "新しいパスワード",
  passwordHint: "8文字以上。関連のない言葉をいくつか並べると安全です。",
  registerButton: "登録する",
  passwordProblems: {
    too_short: "パスワードは8文字以上にしてください。",
    too_long: "パスワードは256文字以内にしてください。",
    is_address: "メールアドレスをパスワードにすることはできません。",
  },
  haveAccount: "すでにアカウントをお持ちの場合：",
  signInLink: "サインイン",

  reauthenticateTitle: "パスワードをもう一度入力してください",
  reauthenticateIntro:
    "前回のサインインから時間が経っています。アカウントを守るため、連携の前にもう一度パスワードを入力してください。",
  reauthenticateButton: "続ける",
  passwordRefused: "パスワードが正しくありません。",

  verifyTitle: "メールを確認してください",
  verifySent: (email) =>
    `${email} にメールを送りました。メールに書かれたコードを入力するか、リンクを開いてください（どのブラウザーでもかまいません）。`,
  verifySentCode: (email) => `${email} にメールを送りました。メールに書かれたコードを入力してください。`,
  verifyNotSent: (email) => `${email} が現在もご本人のアドレスであることを確認するため、コードをメールでお送りします。`,
  code: "6桁のコード",
  codeHint: "コードは10分間有効です。",
  verifyButton: "アドレスを確認する",
  sendButton: "メールを送る",
  resendButton: "メールを再送する",
  openedLink: "リンクを開きました：続ける",
  noMail:
    "数分待っても届かない場合は、迷惑メールのフォルダーを確認するか、再送してください。最新のメールだけが有効です。",
  codeWrong: "コードが正しくありません。最新のメールを確認して、もう一度入力してください。",
  codeDead: "このコードはもう使えません。メールを再送してください。",
  noMailSent: {
    too_soon: "メールを送ったばかりです。30秒ほど待ってから再送してください。",
    limit_reached: "この手続きでは、これ以上メールを送れません。元のプロジェクトに戻って、もう一度始めてください。",
    ended: "この手続きは終了しました。元のプロジェクトに戻って、もう一度始めてください。",
  },
  notYetVerified: "アドレスはまだ確認されていません。",

  confirmTitle: "アカウントを連携しますか？",
  confirmIntro: (project) =>
    `まだ何も連携されていません。続けると、${project} にプラットフォームアカウントのIDが伝わり、${project} のアカウントと連携されます。`,
  confirmProject: "プロジェクト",
  confirmLegacy: (project) => `${project} のアカウント`,
  confirmAccount: "プラットフォームアカウント",
  confirmWarning: (project) =>
    `ご自身で ${project} からこの画面に来た場合だけ続けてください。誰かに案内されて来た場合は、中止してください。`,
  confirmButton: "連携する",

  verifiedTitle: "メールアドレスを確認しました",
  verifiedText: "このページを閉じて、手続きを始めた画面に戻ってください。",
  continueLink: "続ける",
  backTo: (project) => `${project} に戻る`,
  returning: (project) => `${project} に戻ります`,

  correlation: "お問い合わせの際は、この番号をお伝えください：",
  contactTitle: (project) => `${project} に関するメール`,
  contactIntro: (email, project) =>
    `${email} が ${project} の連絡先として登録されました。クォータ、認証情報、エンドポイントなど、対応が必要なときにメールが届きます。`,
  contactButton: "アドレスを確認する",
  contactConfirmedTitle: "アドレスを確認しました",
  contactConfirmed: (project) =>
    `${project} に対応が必要なときにメールが届きます。各メールのリンクから配信を停止できます。`,
  contactStopTitle: (project) => `${project} に関するメール`,
  contactStopIntro: (email, project) => `${email} は ${project} の連絡先です。`,
  contactStopButton: "メールを停止する",
  contactRemovedTitle: "連絡先から削除しました",
  contactRemoved: (project) => `${project} に関するメールは届かなくなります。`,

  problems: {
    no_flow: [
      "最初からやり直してください",
      "この手続きは別のブラウザーで始められたか、時間が経ちすぎています。元のプロジェクトに戻って、もう一度始めてください。",
    ],
    continuation_invalid: [
      "このリンクは使えません",
      "リンクが正しくないか、期限が切れています。元のプロジェクトに戻って、もう一度始めてください。",
    ],
    continuation_in_use: [
      "このリンクはすでに使われています",
      "別のブラウザーで開かれたか、手続きが終わっています。このブラウザーで始めた場合は下から続けてください。そうでない場合は、元のプロジェクトに戻って、もう一度始めてください。",
    ],
    transaction_expired: [
      "時間切れです",
      "この手続きの期限が切れました。元のプロジェクトに戻って、もう一度始めてください。",
    ],
    linked_elsewhere: [
      "別のアカウントと連携済みです",
      "すでに別のプラットフォームアカウントと連携されています。お心当たりがない場合は、元のプロジェクトにお知らせください。",
    ],
    contact_link_dead: [
      "このリンクは使えません",
      "有効期限が切れたか、アドレスが連絡先ではなくなりました。プロジェクトの担当者に再登録を依頼してください。",
    ],
    reset_link_used: [
      "このリンクは使えません",
      "すでに使われたか、期限が切れています。サインインの画面で、もう一度リンクを請求してください。",
    ],
    project_unavailable: [
      "このプロジェクトは現在ご利用いただけません",
      "元のプロジェクトは一時的に停止されています。入力内容は失われていません。再開されたら、元のプロジェクトからもう一度始めてください。",
    ],
    form_expired: [
      "この画面の有効期限が切れました",
      "安全のため、何も行いませんでした。前のページに戻り、読み込み直してからもう一度お試しください。",
    ],
    link_used: [
      "この確認リンクは使えません",
      "すでに使われたか、新しいメールに置き換えられたか、期限が切れています。手続きを始めた画面でメールを再送してください。",
    ],
    cancelled: ["中止しました", "何も連携されていません。"],
    linked: ["連携しました", "アカウントは連携されました。プロジェクトに戻ることができます。"],
    not_found: ["ページが見つかりません", "このアドレスには何もありません。"],
    too_large: ["リクエストを読み取れません", "前のページに戻り、読み込み直してからもう一度お試しください。"],
    unavailable: [
      "現在ご利用いただけません",
      "必要な機能が一時的に使えません。入力内容は失われていません。しばらくしてからもう一度お試しください。",
    ],
    internal: ["問題が発生しました", "こちらの不具合です。しばらくしてからもう一度お試しください。"],
  },
};
