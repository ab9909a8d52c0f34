import { randomBytes } from "node:crypto";
import type { SMTPServerDataStream, SMTPServerError, SMTPServerOptions, SMTPServerSession } from "smtp-server";
import type { Fault } from "../faults/fault.ts";
import type { ProviderAnswer } from "../faults/provider-answer.ts";
import type { SinkState } from "../faults/settle-attempt.ts";
import { ReceivedMail, readEnvelope, refusedRecipient } from "./mail-attempt.ts";
import type { ReturnReports } from "./return-reports.ts";

type Handlers = Required<Pick<SMTPServerOptions, "onConnect" | "onAuth" | "onMailFrom" | "onRcptTo" | "onData">>;
type Done = (error?: Error | null, message?: string) => void;

/** Creates the handlers of the SMTP dialogue. They accept any credentials, any sender and any recipient, unless a fault applies. */
export function smtpHandlers(state: SinkState, reports: ReturnReports, cut: (sessionId: string) => void): Handlers {
  return {
    onConnect(session, callback) {
      const fault = state.faults.take("email", "greeting");
      if (!fault) return callback();
      void meetFault(cut, session, fault, callback, () => callback());
    },
    onMailFrom(_address, session, callback) {
      const fault = state.faults.take("email", "mail");
      if (!fault) return callback();
      void meetFault(cut, session, fault, callback, () => callback());
    },
    onAuth(auth, session, callback) {
      const { method, username = "", password } = auth;
      const accept = () => callback(null, { user: { method, username, password: password ?? "" } });
      const fault = state.faults.take("email", "auth");
      if (!fault) return accept();
      void meetFault(cut, session, fault, callback, accept);
    },
    onRcptTo(address, session, callback) {
      const fault = state.faults.take("email", "rcpt", address.address);
      if (!fault) return callback();
      void refuseRecipient(state, cut, session, address.address, fault, callback);
    },
    onData(stream, session, callback) {
      readSource(stream).then(
        (source) => acceptMail(state, reports, cut, session, source, callback),
        (error: Error) => callback(error),
      );
    },
  };
}

async function refuseRecipient(
  state: SinkState,
  cut: (sessionId: string) => void,
  session: SMTPServerSession,
  to: string,
  fault: Fault,
  callback: Done,
): Promise<void> {
  const reply = fault.answer?.();
  if (reply || fault.drop) {
    state.store.add(refusedRecipient(to, fault.drop ? null : (reply?.status ?? null), readEnvelope(session)));
  }
  await meetFault(cut, session, fault, callback, () => callback());
}

/** Applies a fault to a command before the content: delays, rejects or disconnects. */
async function meetFault(
  cut: (sessionId: string) => void,
  session: SMTPServerSession,
  fault: Fault,
  refuse: (error: Error) => void,
  proceed: () => void,
): Promise<void> {
  const reply = fault.answer?.();
  await fault.delay();
  if (fault.drop) cut(session.id);
  else if (reply) refuse(smtpError(reply));
  else proceed();
}

async function acceptMail(
  state: SinkState,
  reports: ReturnReports,
  cut: (sessionId: string) => void,
  session: SMTPServerSession,
  source: Buffer,
  callback: Done,
): Promise<void> {
  const envelope = readEnvelope(session);
  const mail = new ReceivedMail(source, envelope);
  // All recipients share the reply after DATA, so a fault that waits for any of them decides it.
  const faults = envelope.rcpt_to.map((to) => state.faults.take("email", "data", to));
  const fault = faults.find((candidate) => candidate !== null);
  const reply = fault?.answer?.();
  const answeredStatus = fault?.drop === "before" ? null : (reply?.status ?? 250);
  for (const to of envelope.rcpt_to) state.store.add(mail.attemptFor(to, answeredStatus));
  await fault?.delay();
  if (fault?.drop) cut(session.id);
  else if (reply) callback(smtpError(reply));
  else {
    callback(null, `2.0.0 Ok: queued as ${randomBytes(5).toString("hex").toUpperCase()}`);
    reports.report({ from: envelope.mail_from, to: envelope.rcpt_to, source });
  }
}

async function readSource(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function smtpError({ status, body }: ProviderAnswer): SMTPServerError {
  return Object.assign(new Error(body), { responseCode: status });
}
