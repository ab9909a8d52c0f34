import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { channels } from "../store/message.ts";
import { answerForStatus, faultsByChannel } from "./fault-kinds.ts";
import type { ProviderAnswer } from "./provider-answer.ts";

/** Stages of a protocol at which no recipient has been named yet. */
const anonymousStages = new Set(["greeting", "tls", "auth", "mail", "token"]);
const headerName = /^[A-Za-z0-9-]+$/;
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, "must be one line of ASCII");

/** Body of `POST /faults`. At least one of kind, status, body, delay_ms and drop defines the fault. */
export const faultSchema = z
  .strictObject({
    channel: z.enum(channels),
    /** Limits the fault to attempts to this recipient. If it is absent, the fault applies to every attempt of the channel. */
    to: z.string().min(1).optional(),
    kind: z.string().optional(),
    status: z.int().min(200).max(599).optional(),
    headers: z.record(z.string().regex(headerName), z.union([headerValue, z.number().transform(String)])).optional(),
    /** Body of the response. A text is sent unchanged, and any other value as JSON. For email, it is the text of the reply. */
    body: z.json().optional(),
    delay_ms: z.int().min(0).max(600_000).optional(),
    /**
     * With true or "before", the connection is cut and nothing is accepted. With "after", the message is accepted, and the connection is cut before the
     * response.
     */
    drop: z.union([z.boolean(), z.enum(["before", "after"])]).optional(),
    /** Step of the protocol. email: greeting, tls, auth, mail, rcpt, data. fcm: send, token. */
    stage: z.string().optional(),
    times: z.int().min(1).default(1),
  })
  .superRefine((fault, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const { kinds, stages } = faultsByChannel[fault.channel];
    const kind = fault.kind === undefined ? undefined : kinds[fault.kind];
    if (fault.kind !== undefined && (!Object.hasOwn(kinds, fault.kind) || !kind)) {
      refuse("kind", `unknown for ${fault.channel}; known: ${Object.keys(kinds).join(", ")}`);
    }
    if (fault.stage !== undefined && !stages.includes(fault.stage)) {
      refuse("stage", `unknown for ${fault.channel}; known: ${stages.join(", ")}`);
    }
    const says = [fault.kind, fault.status, fault.body, fault.delay_ms, fault.drop || undefined];
    if (says.every((part) => part === undefined)) {
      refuse("", "says nothing: give at least one of kind, status, body, delay_ms, drop");
    }
    if (fault.body !== undefined && fault.status === undefined && fault.kind === undefined) {
      refuse("body", "needs a status or a kind with it");
    }
    if (fault.channel === "email" && fault.status !== undefined && fault.status < 400) {
      refuse("status", "an SMTP fault is 400 to 599");
    }
    if (fault.channel === "email" && fault.headers !== undefined) refuse("headers", "SMTP replies have none");
    if (fault.to !== undefined && anonymousStages.has(fault.stage ?? kind?.stage ?? "")) {
      refuse("to", "this stage comes before the recipient is known");
    }
  });

export type FaultInput = z.input<typeof faultSchema>;
export type FaultRequest = z.output<typeof faultSchema>;

/** A fault that applies to one attempt. */
export type Fault = {
  stage: string;
  /** The response that replaces the provider's own; null if the provider's response is only delayed or lost. */
  answer: (() => ProviderAnswer) | null;
  /** Resolves when the delay is over, or when all faults are removed. */
  delay: () => Promise<void>;
  drop: "before" | "after" | null;
};

/** Creates the fault of a `request`. Its delays end when `takenBack` is aborted. */
export function toFault(request: FaultRequest, takenBack: AbortSignal): Fault {
  const { kinds, stages } = faultsByChannel[request.channel];
  const kind = request.kind === undefined ? undefined : kinds[request.kind];
  const drop = request.drop === true ? "before" : request.drop || null;
  const isReply = kind !== undefined || request.status !== undefined;
  // A fault that only delays or drops the response applies after the content has arrived, because only then can a client repeat a message that was already
  // accepted.
  const plainStage = request.channel === "email" && !isReply ? "data" : stages[0];
  const stage = request.stage ?? kind?.stage ?? plainStage;
  const answer = () => {
    const base = kind?.answer() ?? answerForStatus(request.channel, stage, request.status ?? 500);
    const body = typeof request.body === "string" ? request.body : JSON.stringify(request.body);
    return {
      status: request.status ?? base.status,
      headers: { ...base.headers, ...lowerCaseNames(request.headers ?? {}) },
      body: request.body === undefined ? base.body : body,
    };
  };
  const delay = async (): Promise<void> => {
    if (takenBack.aborted || request.delay_ms === undefined) return;
    await wait(request.delay_ms, undefined, { ref: false, signal: takenBack }).catch(() => {});
  };
  return { stage, answer: isReply ? answer : null, delay, drop };
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
