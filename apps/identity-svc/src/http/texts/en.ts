/** The words of the hosted pages in English. The other languages have exactly these. */
export const en = {
  siteName: "Platform Accounts",
  errorPrefix: "Error: ",
  stepOf: (step: number, steps: number) => `Step ${step} of ${steps}`,
  cancel: (project: string) => `Cancel and go back to ${project}`,
  signedInAs: "Signed in as",
  registeringAs: "Registering with",
  otherAccount: "Use a different account",
  email: "Email address",
  password: "Password",
  problemTitle: "There is a problem",

  signInTitle: "Sign in to link your account",
  signInIntro: (project: string) =>
    `${project} asks to link your account there to your platform account. Sign in to continue.`,
  signInButton: "Sign in",
  signInRefused: "The email address or the password is not right.",
  signInLocked: "Too many tries. Wait 15 minutes, then try again.",
  noAccountYet: "No platform account yet?",
  registerLink: "Register",

  forgotLink: "Forgot your password?",
  forgotTitle: "Forgot your password?",
  forgotIntro: "Enter the email address of your platform account. We send it a link to set a new password.",
  forgotAskedTitle: "Check your email",
  forgotAsked:
    "If a platform account has this address, a mail with a link is on its way. The link works once, within an hour. No mail after a few minutes? Look in your spam folder.",
  backToSignIn: "Back to sign-in",
  resetTitle: "Set a new password",
  resetIntro: "Choose a new password for your platform account. You are then signed out everywhere.",
  resetButton: "Set the password",
  changedTitle: "Your password has been changed",
  changedText: "You have been signed out everywhere. Sign in with the new password in the window where you began.",

  registerTitle: "Register to link your account",
  registerIntro: (project: string) =>
    `Choose a password for a new platform account with the address ${project} knows you by. We then send you a mail to confirm it.`,
  newPassword: "New password",
  passwordHint: "At least 8 characters. A few unrelated words make a good one.",
  registerButton: "Register",
  passwordProblems: {
    too_short: "The password must have at least 8 characters.",
    too_long: "The password must have at most 256 characters.",
    is_address: "The password must not be your email address.",
  },
  haveAccount: "Have a platform account already?",
  signInLink: "Sign in",

  reauthenticateTitle: "Enter your password again",
  reauthenticateIntro:
    "You signed in a while ago. To protect your account, enter your password again before linking it.",
  reauthenticateButton: "Continue",
  passwordRefused: "The password is not right.",

  verifyTitle: "Check your email",
  verifySent: (email: string) =>
    `We sent a mail to ${email}. Enter the code it carries, or open its link in any browser.`,
  verifySentCode: (email: string) => `We sent a mail to ${email}. Enter the code it carries.`,
  verifyNotSent: (email: string) => `To make sure the address ${email} is yours today, we send you a mail with a code.`,
  code: "Six-digit code",
  codeHint: "The code works for 10 minutes.",
  verifyButton: "Confirm the address",
  sendButton: "Send the mail",
  resendButton: "Send another mail",
  openedLink: "I opened the link: continue",
  noMail: "No mail after a few minutes? Look in your spam folder, or send another one. Only the newest works.",
  codeWrong: "That is not the code. Look at the newest mail and try again.",
  codeDead: "That code cannot be used any more. Send another mail.",
  noMailSent: {
    too_soon: "A mail was sent a moment ago. Wait half a minute, then send another one.",
    limit_reached: "No more mails can be sent for this link. Go back to the project you came from and begin again.",
    ended: "This link has ended. Go back to the project you came from and begin again.",
  },
  notYetVerified: "The address is not confirmed yet.",

  confirmTitle: "Link your accounts?",
  confirmIntro: (project: string) =>
    `Nothing has been linked yet. If you go on, ${project} learns the id of your platform account, and your account there is linked to it.`,
  confirmProject: "Project",
  confirmLegacy: (project: string) => `Your account at ${project}`,
  confirmAccount: "Your platform account",
  confirmWarning: (project: string) =>
    `Only continue if you yourself came here from ${project} just now. If someone sent you here, cancel.`,
  confirmButton: "Link accounts",

  verifiedTitle: "Email address confirmed",
  verifiedText: "You can close this page and go on in the window where you began.",
  continueLink: "Continue",
  backTo: (project: string) => `Back to ${project}`,
  returning: (project: string) => `Taking you back to ${project}`,

  correlation: "If you ask for help, mention this number:",
  contactTitle: (project: string) => `Emails about ${project}`,
  contactIntro: (email: string, project: string) =>
    `${email} was entered as a contact of ${project}. Contacts are emailed when the project needs attention: a quota, a credential, an endpoint.`,
  contactButton: "Confirm the address",
  contactConfirmedTitle: "The address is confirmed",
  contactConfirmed: (project: string) =>
    `You will be emailed when ${project} needs attention. Each of these emails has a link that ends them.`,
  contactStopTitle: (project: string) => `Emails about ${project}`,
  contactStopIntro: (email: string, project: string) => `${email} is a contact of ${project}.`,
  contactStopButton: "End these emails",
  contactRemovedTitle: "You are no contact any more",
  contactRemoved: (project: string) => `You will not be emailed about ${project} any more.`,

  problems: {
    no_flow: [
      "Start again from the project",
      "This page belongs to a link that was begun in another browser, or too long ago. Go back to the project you came from and begin again.",
    ],
    continuation_invalid: [
      "This link cannot be used",
      "It is not valid, or it has expired. Go back to the project you came from and begin again.",
    ],
    continuation_in_use: [
      "This link is in use already",
      "It was opened in another browser, or finished. If that was here, continue below; else go back to the project you came from and begin again.",
    ],
    transaction_expired: [
      "Too much time has passed",
      "This link has expired. Go back to the project you came from and begin again.",
    ],
    linked_elsewhere: [
      "Linked to another account",
      "Another platform account has been linked here already. If you did not do this, tell the project you came from.",
    ],
    contact_link_dead: [
      "This link does not work",
      "It has expired, or the address is no contact any more. Ask someone of the project to add it again.",
    ],
    reset_link_used: [
      "This link cannot be used",
      "It was used already, or has expired. Ask for another one on the sign-in page.",
    ],
    project_unavailable: [
      "The project is not available",
      "The project you came from has been switched off for now. Nothing was lost; begin again from the project once it is back.",
    ],
    form_expired: [
      "This form has expired",
      "For your safety, nothing was done. Go back, load the page again and retry.",
    ],
    link_used: [
      "This confirmation link cannot be used",
      "It was used already, replaced by a newer one, or has expired. Ask for another mail where you began.",
    ],
    cancelled: ["Cancelled", "Nothing has been linked."],
    linked: ["Linked", "Your accounts are linked. You can go back to the project."],
    not_found: ["Page not found", "There is nothing at this address."],
    too_large: ["The request cannot be read", "Go back, load the page again and retry."],
    unavailable: [
      "Not available right now",
      "Something we need is not available. Nothing was lost; try again shortly.",
    ],
    internal: ["Something went wrong", "The fault is on our side. Try again shortly."],
  },
} as const;

type Loose<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Loose<T[K]> };

/** The words of the hosted pages, in whichever language. */
export type Texts = Loose<typeof en>;

/** Obstacles to the next step, each with a title and a text. */
export type Problem = keyof (typeof en)["problems"];
