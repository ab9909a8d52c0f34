import type { MailFields, PushFields, Template as WireTemplate } from "@platform/proto/notify/v1/notify_admin";
import { type Channel, isChannel } from "../../domain/channel.ts";
import { type MailTemplate, mailTemplateProblem } from "../../domain/mail-fields.ts";
import { type PushPriority, type PushTemplate, pushPriorities, pushTemplateProblem } from "../../domain/push-fields.ts";
import { checkTemplate, TemplateInvalid } from "../../domain/render-template.ts";
import { type Template, templateName, type VariableType } from "../../domain/template.ts";
import { contractViolation } from "../failures.ts";

const variablesMax = 50;
const variableTypes: readonly string[] = ["string", "integer", "number"];

/**
 * Reads a template as operators enter it.
 * @param path JSON Pointer of the template in the request
 * @throws ServiceError contract_violation
 */
export function readTemplate(wire: WireTemplate, path: string): Template {
  const { key, channel, locale, variables } = wire;
  if (key.length < 1 || key.length > 120) refuse(`${path}/key`, "1 to 120 characters");
  if (!isChannel(channel)) return refuse(`${path}/channel`, "must be email, fcm, apns, line or web_push");
  if (locale.length < 1 || locale.length > 20) refuse(`${path}/locale`, "1 to 20 characters");
  if (wire.text === "") refuse(`${path}/text`, "required");
  if (channel === "email" && wire.subject === "") refuse(`${path}/subject`, "required for email");
  if (channel !== "email" && wire.html !== undefined) refuse(`${path}/html`, "only email has an html part");
  const push = wire.push === undefined ? null : readPush(channel, wire.push, path);
  const mail = wire.mail === undefined ? null : readMail(channel, wire.mail, path);
  if (Object.keys(variables).length > variablesMax) refuse(`${path}/variables`, `at most ${variablesMax}`);
  for (const [name, type] of Object.entries(variables)) {
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,119}$/.test(name)) refuse(`${path}/variables`, `${name} is not a Liquid name`);
    if (!variableTypes.includes(type)) refuse(`${path}/variables/${name}`, "must be string, integer or number");
  }
  const template: Template = {
    key,
    channel,
    locale,
    subject: wire.subject,
    text: wire.text,
    html: wire.html ?? null,
    push,
    mail,
    variables: variables as Record<string, VariableType>,
  };
  try {
    checkTemplate(template);
  } catch (error) {
    if (!(error instanceof TemplateInvalid)) throw error;
    refuse(path, `${templateName(template)}: ${error.message}`);
  }
  return template;
}

function readPush(channel: Channel, wire: PushFields, path: string): PushTemplate {
  const { priority = null } = wire;
  if (priority !== null && !isPriority(priority)) return refuse(`${path}/priority`, "must be normal or high");
  const push: PushTemplate = {
    data: wire.data,
    link: wire.link ?? null,
    image: wire.image ?? null,
    badge: wire.badge ?? null,
    sound: wire.sound ?? null,
    ttlSeconds: wire.ttlSeconds ?? null,
    collapseKey: wire.collapseKey ?? null,
    priority,
  };
  const refused = pushTemplateProblem(channel, push);
  if (refused !== null) refuse(`${path}/${refused.field}`, refused.problem);
  return push;
}

function readMail(channel: Channel, wire: MailFields, path: string): MailTemplate {
  const mail: MailTemplate = {
    attachments: wire.attachments.map(({ file, name }) => ({ file, name })),
    replyTo: wire.replyTo ?? null,
    headers: wire.headers,
  };
  const refused = mailTemplateProblem(channel, mail);
  if (refused !== null) refuse(`${path}/${refused.field}`, refused.problem);
  return mail;
}

function isPriority(text: string): text is PushPriority {
  return (pushPriorities as readonly string[]).includes(text);
}

/** @throws ServiceError contract_violation */
export function refuse(path: string, message: string): never {
  throw contractViolation(path, "invalid_value", message);
}
