import { defined } from "@platform/kit/process/fields";
import { html } from "@platform/kit/web/http";
import { SenderProfileAdminService } from "@platform/proto/notify/v1/sender_profile_admin";
import { PageProblem } from "../page-problem.ts";
import type { Field } from "../pages/fields.ts";
import { overlapField, overlapSecondsOf } from "../pages/overlap.ts";
import { postedRevision, revisionField } from "../resource-form.ts";
import type { Action } from "../screen.ts";
import { crumbsOf, readProfile } from "./profile-actions.ts";

const secret = (name: string, label: string, hint?: string): Field => ({
  name,
  label,
  ...defined({ hint }),
  type: "password",
  isRequired: true,
});

/** The fields for a new secret, by channel. Each field is a member of the configuration. */
const fieldsByChannel: Readonly<Record<string, readonly Field[]>> = {
  email: [secret("smtp_url", "SMTP URL with user and password", "smtps://user:password@host:465")],
  fcm: [
    { name: "client_email", label: "Client email", hint: "Leave empty to keep the current value." },
    secret("private_key", "Private key (PEM)"),
  ],
  apns: [
    { name: "key_id", label: "Key ID", hint: "Leave empty to keep the current value." },
    secret("private_key", "Private key (PEM)"),
  ],
  line: [secret("channel_access_token", "Channel access token")],
  web_push: [
    {
      name: "public_key",
      label: "Public key",
      hint: "Browsers that subscribed with another public key have to subscribe again.",
      isRequired: true,
    },
    secret("private_key", "Private key"),
  ],
};

/** Restores the line breaks of a PEM key (RFC 7468), because a password field has only one line. */
export function pemOf(text: string): string {
  const [, label = "", body = ""] =
    /^-----BEGIN ([A-Z ]+)-----(.+)-----END \1-----$/s.exec(text.replaceAll("\\n", "")) ?? [];
  if (label === "") return text;
  const lines = body.replaceAll(/\s/g, "").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

export const rotateSecret: Action = {
  path: "/profiles/:id/rotate-secret",
  title: "Rotate the secret",
  button: "Use the new secret",
  method: SenderProfileAdminService.method.updateSenderProfile,
  describe: async (visit) => {
    const profile = await readProfile(visit);
    return {
      crumbs: crumbsOf(profile),
      what: html`<p>${profile.name} uses the new secret within two seconds. The rest of its configuration stays. If the provider rejects the new secret during the
overlap, messages are sent with the old one. The secret is encrypted and never shown.</p>`,
    };
  },
  fields: async (visit) => {
    const { channel, revision } = await readProfile(visit);
    return [revisionField(revision), ...(fieldsByChannel[channel] ?? []), overlapField("The old secret expires")];
  },
  run: async (visit, options) => {
    const { channel } = await readProfile(visit);
    const changes = (fieldsByChannel[channel] ?? []).flatMap(({ name, label, isRequired }) => {
      const value = visit.field(name);
      if (value === "" && isRequired === true)
        throw new PageProblem(422, "This cannot be done", `${label} is required.`);
      return value === "" ? [] : [[name, pemOf(value)]];
    });
    await visit.ask(
      SenderProfileAdminService.method.updateSenderProfile,
      {
        senderProfileId: visit.param("id"),
        changesJson: JSON.stringify(Object.fromEntries(changes)),
        overlapSeconds: overlapSecondsOf(visit),
        ...postedRevision(visit),
      },
      options,
    );
    return { redirect: `/profiles/${visit.param("id")}`, notice: "The new secret is in use." };
  },
};
