import { invitationMailMs } from "../domain/project-member.ts";
import { invitationMail } from "../mail/member-mails.ts";
import type { ProjectMemberDocument } from "../store/project-members.ts";
import type { MailDelivery, MailWork } from "./deliver-mails.ts";

/** Emails that invite people into projects. */
export function invitationMails({ stores, clock, consoleUrl }: MailDelivery): MailWork<ProjectMemberDocument> {
  return {
    name: "deliver-invitations",
    queue: stores.members.openInvitations(clock),
    describe: ({ _id, mail }) => ({ id: _id, attempts: mail?.attempts ?? 0, resourceId: _id }),
    prepare: async ({ project_client_id: clientId, email, role, invited_at: invitedAt }) => {
      if (invitedAt.getTime() + invitationMailMs <= clock().getTime()) return "outlived";
      const client = await stores.clients.find(clientId);
      if (client === null || email === undefined) return "outlived";
      if (client.disabled_at !== null) return "waiting";
      const link = `${consoleUrl}/projects/${clientId}`;
      return { to: email, content: invitationMail({ project: client.name, role, email, link }) };
    },
  };
}
