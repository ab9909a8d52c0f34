import { html } from "@platform/kit/web/http";
import { type MailContent, mailFooter, mailLink, mailPage, mailSender } from "./mail-layout.ts";

const sender = "Project Integration Service";

/** Writes the email with the link that confirms a contact's address. */
export function contactConfirmationMail({ project, link }: { project: string; link: string }): MailContent {
  const intro = `This address was entered as a contact of the project ${project}. Contacts are emailed when the project needs attention: a quota, a credential, an endpoint.`;
  const note = "To receive these emails, open this link and confirm. It works for 7 days:";
  const ignore = "If you do not want them, do nothing.";
  return {
    subject: `Confirm that you are a contact of ${project}`,
    text: `${[intro, note, link, ignore].join("\n\n")}\n`,
    html: mailPage("en", [
      mailSender(sender),
      html`<p style="margin:0 0 24px">${intro}</p>`,
      mailLink(note, "Confirm the address", link),
      mailFooter(ignore),
    ]).text,
  };
}

/** The data of a platform event. */
type Data = Readonly<Record<string, unknown>>;

/**
 * For each type of platform event, the texts of the email: a subject, then sentences that describe the fact and what
 * to do.
 */
const notices: Readonly<Record<string, (data: Data) => readonly [subject: string, ...sentences: string[]]>> = {
  "platform.quota.threshold_reached": ({ resource, percent, used, limit }) => [
    `${percent} % of the quota ${resource} is used`,
    `${used} of ${limit} units of the quota ${resource} are used.`,
    Number(percent) >= 100
      ? "Requests that need more are rejected with 429 platform_quota_exceeded until the quota's window ends or the quota is raised."
      : "At 100 %, requests that need more are rejected with 429 platform_quota_exceeded.",
    "An operator of the platform can raise the quota.",
  ],
  "platform.credential.expiring": ({ credential_id, expires_at, days }) => [
    `A credential expires within ${days} days`,
    `The credential ${credential_id} expires at ${expires_at}. Requests that use it are then rejected with 401.`,
    "Rotate it before that time. The new credential works immediately, and the old one until the overlap ends.",
  ],
  "platform.credential.issued": ({ credential_id, scopes }) => [
    "A credential was issued",
    `The credential ${credential_id} was issued with the scopes ${[scopes].flat().join(", ")}.`,
    "If nobody in your project requested it, ask an operator of the platform to revoke it.",
  ],
  "platform.project_member.owner_added": ({ project_member_id }) => [
    "The project has a new owner",
    `The person ${project_member_id} became an owner, who can issue credentials and add other people.`,
    "If nobody in your project requested this, ask another owner or an operator of the platform to remove the person.",
  ],
  "platform.subscription.failing": ({ subscription_id, failing_since }) => [
    "A subscription has been failing for an hour",
    `No event of the subscription ${subscription_id} has been delivered since ${failing_since}, because your endpoint does not respond with 2xx.`,
    "Events wait and are retried until their attempts are used up. `platformctl subscriptions show` shows the current state.",
  ],
  "platform.subscription.ended": ({ subscription_id, status_code, at, body_start }) => [
    "A subscription has ended",
    `Your endpoint responded to an event with ${status_code} at ${at}. The subscription ${subscription_id} has therefore ended, and no further events are delivered.`,
    ...answerBegan(body_start),
    "To continue, create another subscription that starts at its position.",
  ],
  "platform.sender_profile.failing": ({ sender_profile_id, channel, name, failing_since }) => [
    "A sender has been failing for an hour",
    `Nothing has been sent by the sender profile ${name} (${channel}, ${sender_profile_id}) since ${failing_since}, because its provider rejects the messages or does not respond.`,
    "Deliveries wait, and fail once their attempts are used up. Check your account at the provider. `platformctl sender-profiles test` sends a test message.",
  ],
  "platform.scheduled_operation.disabled": ({ scheduled_operation_id, status_code, at, body_start }) => [
    "A scheduled operation was disabled",
    `Your endpoint responded to a scheduled call with ${status_code} at ${at}. The operation ${scheduled_operation_id} has therefore been disabled.`,
    ...answerBegan(body_start),
    "It is not called until it is enabled again.",
  ],
};

/**
 * Quotes the beginning of the endpoint's response. It is on a separate line, so that it is not mistaken for our text.
 */
const answerBegan = (bodyStart: unknown): string[] =>
  bodyStart === "" || bodyStart === undefined ? [] : [`Beginning of the response: ${JSON.stringify(bodyStart)}`];

/** Returns whether contacts receive an email for a type of event. */
export const hasContactMail = (type: string): boolean => Object.hasOwn(notices, type);

/** Writes the email about a fact. @param stopLink where the contact can stop these emails */
export function contactNoticeMail(mail: {
  readonly type: string;
  readonly data: Data;
  readonly project: string;
  readonly stopLink: string;
}): MailContent {
  const { type, data, project, stopLink } = mail;
  const [subject, ...sentences] = notices[type]?.(data) ?? [type];
  const footer = `You receive this as a contact of ${project}. To stop these emails: ${stopLink}`;
  return {
    subject: `${project}: ${subject}`,
    text: `${[...sentences, footer].join("\n\n")}\n`,
    html: mailPage("en", [
      mailSender(`${sender} · ${project}`),
      html`${sentences.map((sentence) => html`<p style="margin:0 0 16px">${sentence}</p>`)}`,
      mailFooter(footer),
    ]).text,
  };
}
