import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Logger } from "@platform/kit/process/telemetry";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { BounceAddresses } from "../bounce-addresses.ts";
import type { MailReport } from "../domain/mail-report.ts";
import { recordReport } from "../record-report.ts";
import type { Stores } from "../store/stores.ts";
import type { BounceMetrics } from "./bounce-metrics.ts";
import { readReportOf } from "./read-mail.ts";

/** Maximum size of a report, in bytes. A report may contain the whole email that bounced. */
export const reportBytesMax = 1024 * 1024;
/** Maximum time for which a connection may be silent, in milliseconds. */
const idleMsMax = 60_000;
/** A connection that lasts this long is closed, whatever it sends. */
const connectionMsMax = 300_000;
/** How long emails in progress may take when the process stops, in milliseconds. */
const closeMsMax = 5_000;

export type BounceReceiverOptions = {
  readonly host: string;
  readonly port: number;
  /** Name in the greeting: the DNS name of the mail exchanger. */
  readonly name: string;
  /** Maximum number of concurrent connections. One source may have at most a quarter of them. */
  readonly connectionsMax: number;
};

export type BounceReceiverDeps = {
  readonly stores: Pick<Stores, "endpoints" | "mailReports">;
  readonly addresses: BounceAddresses;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: BounceMetrics;
};

export type BounceReceiver = { readonly port: number; stop(): Promise<void> };

/** Address that is registered for the feedback loops of mailbox providers. A report sent there must name an email of this platform. */
const isComplaints = (address: string): boolean => /^complaints@/i.test(address);

/** A rejection with an SMTP reply code and an enhanced status code (RFC 5321 §4.2, RFC 3463). */
function reply(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/**
 * Starts the mail server for reports (RFC 5321). It accepts email for return paths of this platform, one per email, and
 * for `complaints@…`. It rejects anything else at RCPT, before any content is sent. It replies 250 once the
 * consequences of the report are stored; until then the sending server keeps the report.
 */
export async function receiveBounces(
  deps: BounceReceiverDeps,
  options: BounceReceiverOptions,
): Promise<BounceReceiver> {
  const { addresses, logger, metrics } = deps;
  const refuse = (reason: string, code: number, text: string): Error => {
    metrics.refused.inc({ reason });
    return reply(code, text);
  };
  const smtp = new SMTPServer({
    name: options.name,
    banner: "delivery reports only",
    size: reportBytesMax,
    // AUTH is disabled because nobody has to log in, STARTTLS because the process has no certificate that other
    // servers would trust.
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    socketTimeout: idleMsMax,
    closeTimeout: closeMsMax,
    onRcptTo: ({ address }, { envelope }, callback) => {
      if (envelope.rcptTo.length > 0)
        return callback(refuse("recipients", 452, "4.5.3 One recipient a mail: send the others after it"));
      if (addresses.deliveryOf(address) !== null || isComplaints(address)) return callback();
      callback(refuse("recipient", 550, "5.1.1 No such return path: only delivery reports are taken here"));
    },
    onData: (stream, session, callback) => {
      readBounded(stream)
        .then((source) => {
          if (source === null) throw refuse("size", 552, "5.3.4 Reports have at most 1 MiB");
          return take(deps, session, source);
        })
        .then(
          (text) => callback(null, text),
          (error: Error & { readonly responseCode?: number; readonly code?: string }) => {
            // The error is one of the replies above, or a closed connection, which gets no reply.
            if (error.responseCode !== undefined || error.code === "ECONNECTION") return callback(error);
            logger.error({ err: error }, "a delivery report could not be stored");
            metrics.mails.inc({ outcome: "deferred" });
            callback(reply(451, "4.3.0 The report could not be stored: try again later"));
          },
        );
    },
  });
  // The other side broke the connection, so this is not an error of this process.
  smtp.on("error", (error) => logger.debug({ err: error }, "a connection of the bounce receiver failed"));

  const listener = acceptBounded(options.connectionsMax, {
    accept: (socket) => smtp.connect(socket),
    onRefused: () => metrics.refused.inc({ reason: "connections" }),
  });
  listener.server.listen(options.port, options.host);
  await once(listener.server, "listening");
  return {
    port: (listener.server.address() as AddressInfo).port,
    stop: async () => {
      const closed = new Promise((resolve) => listener.server.close(resolve));
      await listener.drained(closeMsMax);
      await closed;
    },
  };
}

/** Records the report in an email. @returns the text of the reply 250; throws the error for any other reply */
async function take(
  { stores, addresses, clock, metrics }: BounceReceiverDeps,
  { envelope }: SMTPServerSession,
  source: Buffer,
): Promise<string> {
  const [{ address = "" } = {}] = envelope.rcptTo;
  const isComplaint = isComplaints(address);
  // Feedback loops return an email with its return path, which cannot be forged. The return path is searched for
  // first, so that emails that this platform did not send are not parsed.
  const deliveryId = isComplaint ? addresses.deliveryIn(source.toString("latin1")) : addresses.deliveryOf(address);
  const report = deliveryId === null ? null : await readReport(source);
  if (deliveryId === null || (isComplaint && report?.kind !== "complained"))
    throw reply(550, "5.7.1 No complaint about a mail of this platform");
  if (report === null) {
    metrics.mails.inc({ outcome: "ignored" });
    return "2.0.0 Not a delivery report: ignored";
  }
  const recorded = await recordReport(stores, deliveryId, report, clock());
  if (recorded === "early") {
    metrics.mails.inc({ outcome: "deferred" });
    throw reply(451, "4.3.2 The mail is still being sent: report again later");
  }
  metrics.mails.inc({ outcome: recorded === "recorded" ? outcomeOf(report) : "unknown" });
  return "2.0.0 Recorded";
}

function outcomeOf(report: MailReport): string {
  if (report.kind === "complained") return "complained";
  return report.isPermanent ? "bounced" : "delayed";
}

/** An email that cannot be parsed is not a report, and another attempt would have the same result. */
async function readReport(source: Buffer): Promise<MailReport | null> {
  return readReportOf(source).catch(() => null);
}

/** The email, or null if it is too large. Data above the limit is read and dropped, as the protocol requires. */
async function readBounded(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes <= reportBytesMax) chunks.push(chunk);
    else chunks.length = 0;
  }
  return stream.sizeExceeded || bytes > reportBytesMax ? null : Buffer.concat(chunks);
}

type Acceptance = { readonly accept: (socket: Socket) => void; readonly onRefused: () => void };

/** Limits the number of connections, the number from one source, and the duration of each. */
function acceptBounded(connectionsMax: number, { accept, onRefused }: Acceptance) {
  const open = new Set<Socket>();
  const bySource = new Map<string, number>();
  const ofSourceMax = Math.max(1, Math.floor(connectionsMax / 4));
  let onEmpty: () => void = () => {};
  const server: Server = createServer((socket) => {
    // The reason of the failure does not matter, only that the connection has ended.
    socket.on("error", () => socket.destroy());
    const source = socket.remoteAddress ?? "";
    const held = bySource.get(source) ?? 0;
    if (open.size >= connectionsMax || held >= ofSourceMax) {
      onRefused();
      return void socket.end("421 4.7.0 Too many connections: try again later\r\n");
    }
    open.add(socket);
    bySource.set(source, held + 1);
    const limit = setTimeout(() => socket.destroy(), connectionMsMax);
    socket.once("close", () => {
      clearTimeout(limit);
      open.delete(socket);
      const left = (bySource.get(source) ?? 1) - 1;
      if (left === 0) bySource.delete(source);
      else bySource.set(source, left);
      if (open.size === 0) onEmpty();
    });
    accept(socket);
  });
  return {
    server,
    /** Waits until every connection has ended, and closes the remaining ones after some time. */
    drained: async (withinMs: number): Promise<void> => {
      if (open.size === 0) return;
      const emptied = new Promise<void>((resolve) => {
        onEmpty = resolve;
      });
      const timer = setTimeout(() => {
        for (const socket of open) socket.destroy();
      }, withinMs);
      await emptied;
      clearTimeout(timer);
    },
  };
}
