import type { MemberRoleName } from "@platform/kit/rpc/client";
import { type MailContent, mailFooter, mailIntro, mailLink, mailPage, mailSender } from "./mail-layout.ts";

const sender = "Project Integration Service";

/** What a role allows, as the email explains it. */
const rights: Readonly<Record<MemberRoleName, string>> = {
  reader: "As a reader, you can see everything in the project, with addresses masked.",
  developer:
    "As a developer, you can see everything in the project and change its catalog, schedules and subscriptions.",
  owner: "As an owner, you can see everything in the project and manage its credentials, senders and members.",
};

/**
 * Writes the email that invites a person to a project. It contains no token, because the invitation is accepted by
 * signing in with the address.
 * @param mail.link URL of the project's pages at the console
 */
export function invitationMail(mail: {
  readonly project: string;
  readonly role: MemberRoleName;
  readonly email: string;
  readonly link: string;
}): MailContent {
  const { project, role, email, link } = mail;
  const intro = `You have been invited to the project ${project}. ${rights[role]}`;
  const note = `To accept the invitation, sign in with the address ${email}:`;
  const ignore = "If you do not know this project, you can ignore this email.";
  return {
    subject: `You have been invited to the project ${project}`,
    text: `${[intro, note, link, ignore].join("\n\n")}\n`,
    html: mailPage("en", [mailSender(sender), mailIntro(intro), mailLink(note, "Sign in", link), mailFooter(ignore)])
      .text,
  };
}
