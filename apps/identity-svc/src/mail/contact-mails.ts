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

/** Data of a platform event. */
type Data = Readonly<Record<string, unknown>>;

/** The facts and what to do: subject and sentences, by the type of the platform event about the same fact. */
const notices: Readonly<Record<string, (data: Data) => readonly [subject: string, ...sentences: string[]]>> = {
  "platform.quota.threshold_reached": ({ resource, percent, used, limit }) => [
    `${percent} % of the quota ${resource} are used`,
    `${used} of ${limit} units of the quota ${resource} are used.`,
    Number(percent) >= 100
      ? "Requests that need more are refused with 429 platform_quota_exceeded until the quota's window ends or it is raised."
      : "At 100 % requests that need more are refused with 429 platform_quota_exceeded.",
    "Whoever operates the platform can raise the quota.",
  ],
  "platform.credential.expiring": ({ credential_id, expires_at, days }) => [
    `A credential expires within ${days} days`,
    `The credential ${credential_id} expires at ${expires_at}. Requests that carry it are then refused with 401.`,
    "Rotate it in time: the new credential works at once, and the old one until the overlap ends.",
  ],
  "platform.credential.issued": ({ credential_id, scopes }) => [
    "A credential was issued",
    `The credential ${credential_id} was issued with the scopes ${[scopes].flat().join(", ")}.`,
    "If nobody of your project asked for it, have it revoked.",
  ],
  "platform.project_member.owner_added": ({ project_member_id }) => [
    "The project has a new owner",
    `The person ${project_member_id} became an owner, who may issue credentials and add other people.`,
    "If nobody of your project asked for it, have the person removed.",
  ],
  "platform.subscription.failing": ({ subscription_id, failing_since }) => [
    "A subscription has been failing for an hour",
    `No event of the subscription ${subscription_id} has been delivered since ${failing_since}: your endpoint does not answer with 2xx.`,
    "Events wait and are tried again until their attempts are used up. `platformctl subscriptions show` has the state.",
  ],
  "platform.subscription.ended": ({ subscription_id, status_code, at, body_start }) => [
    "A subscription has ended",
    `Your endpoint answered an event's call with ${status_code} at ${at}, so that the subscription ${subscription_id} has ended. Its events are called no more.`,
    ...answerBegan(body_start),
    "To continue, create another subscription from its position.",
  ],
  "platform.sender_profile.failing": ({ sender_profile_id, channel, name, failing_since }) => [
    "A sender has been failing for an hour",
    `Nothing has been sent by the sender profile ${name} (${channel}, ${sender_profile_id}) since ${failing_since}: its provider refuses it or does not answer.`,
    "Deliveries wait and fail after their attempts. Check the account at the provider; `platformctl sender-profiles test` tries it.",
  ],
  "platform.scheduled_operation.disabled": ({ scheduled_operation_id, status_code, at, body_start }) => [
    "A scheduled operation was disabled",
    `Your endpoint answered a scheduled call with ${status_code} at ${at}, so that the operation ${scheduled_operation_id} is disabled.`,
    ...answerBegan(body_start),
    "It is called again once it is enabled.",
  ],
};

/** The response is a text of the endpoint. It has a line of its own, so that it is not mistaken for ours. */
const answerBegan = (bodyStart: unknown): string[] =>
  bodyStart === "" || bodyStart === undefined ? [] : [`The answer began: ${JSON.stringify(bodyStart)}`];

/** Returns whether contacts receive an email for a type of event. */
export const hasContactMail = (type: string): boolean => Object.hasOwn(notices, type);

/** Writes the email about a fact. @param stopLink where the contact can end these emails */
export function contactNoticeMail(mail: {
  readonly type: string;
  readonly data: Data;
  readonly project: string;
  readonly stopLink: string;
}): MailContent {
  const { type, data, project, stopLink } = mail;
  const [subject, ...sentences] = notices[type]?.(data) ?? [type];
  const footer = `You receive this as a contact of ${project}. To end these emails: ${stopLink}`;
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
