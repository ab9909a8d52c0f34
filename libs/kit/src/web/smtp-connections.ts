import { once } from "node:events";
import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";

/** A composed email with its envelope: the sender and the recipients that the mail server receives. */
export type ComposedMail = {
  readonly envelope: { readonly from: string; readonly to: string[] };
  readonly bytes: Buffer;
  /** True if an address in the envelope or a header needs SMTPUTF8 (RFC 6531). */
  readonly needsSmtpUtf8: boolean;
};

/**
 * Error code of an email that only a server with SMTPUTF8 can accept, if the server does not support it. Nothing was
 * sent.
 */
export const smtpUtf8Missing = "ESMTPUTF8";

type SmtpError = SMTPConnection.SMTPError;

export type SmtpConnections = {
  /**
   * Sends an email. Resolves when the server has accepted it.
   * @param requireBegin called when the server is ready for the first byte; throws if the email must not be sent any
   * more
   * @throws the error of `requireBegin`; an error with the code `smtpUtf8Missing`; the failure of the server or the
   * connection
   */
  send(mail: ComposedMail, requireBegin: () => void, signal: AbortSignal): Promise<void>;
  /** Ends every connection, including those that are sending. */
  close(): void;
};

/** Limits of the connections to one email server: time-outs in milliseconds and the number of connections. */
export type SmtpLimits = { readonly connectMs: number; readonly answerMs: number; readonly connectionsMax: number };

/**
 * Connects to the server of an `smtp:` or `smtps:` URL. Emails and passwords are sent over TLS, unless the URL contains
 * `?tls=optional` for a relay without TLS, or the server is on loopback.
 */
export function connectSmtp(url: URL, { connectMs, answerMs, connectionsMax }: SmtpLimits): SmtpConnections {
  const isLoopback = /^(?:127\.|\[::1\]$|localhost$)/.test(url.hostname);
  const isImplicitTls = url.protocol === "smtps:";
  const user = decodeURIComponent(url.username);
  return createSmtpConnections(
    {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (isImplicitTls ? 465 : 587) : Number(url.port),
      secure: isImplicitTls,
      requireTLS: !isImplicitTls && !isLoopback && url.searchParams.get("tls") !== "optional",
      // No certificate authority issues certificates for 127.0.0.1.
      tls: { rejectUnauthorized: !isLoopback },
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: answerMs,
    },
    user === "" ? null : { user, pass: decodeURIComponent(url.password) },
    connectionsMax,
  );
}

/**
 * Reuses connections to one email server. The library's own pool is not used, because it offers no check between the
 * wait for a connection and the email. Here, the sender's lease is checked when the server is ready for the first byte
 * of the email.
 * @param connectionsMax maximum number of connections; further emails wait for a free one
 */
function createSmtpConnections(
  options: SMTPConnection.Options,
  credentials: SMTPConnection.Credentials | null,
  connectionsMax: number,
): SmtpConnections {
  const idle: SMTPConnection[] = [];
  const open = new Set<SMTPConnection>();
  const waiting: (() => void)[] = [];
  let isClosed = false;

  const forget = (connection: SMTPConnection): void => {
    open.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    waiting.shift()?.();
  };
  const connect = async (): Promise<SMTPConnection> => {
    const connection = new SMTPConnection(options);
    open.add(connection);
    // A failed connection closes itself, and its email fails through the email's own callback.
    connection.on("error", () => undefined);
    connection.once("end", () => forget(connection));
    const ended = new AbortController();
    const failed = once(connection, "end", { signal: ended.signal }).then(() => {
      throw Object.assign(new Error("the server closed the connection before its greeting"), { code: "ECONNECTION" });
    });
    try {
      await Promise.race([failed, ready(connection, credentials)]);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      ended.abort();
      failed.catch(() => undefined);
    }
  };
  const acquire = async (): Promise<{ connection: SMTPConnection; isReused: boolean }> => {
    for (;;) {
      if (isClosed) throw Object.assign(new Error("the connections are closed"), { code: "ECONNECTION" });
      const known = idle.pop();
      if (known !== undefined) return { connection: known, isReused: true };
      if (open.size < connectionsMax) return { connection: await connect(), isReused: false };
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const release = (connection: SMTPConnection): void => {
    if (!open.has(connection)) return;
    idle.push(connection);
    waiting.shift()?.();
  };

  return {
    send: async (mail, requireBegin, signal) => {
      for (;;) {
        const { connection, isReused } = await acquire();
        try {
          requireBegin();
        } catch (error) {
          release(connection);
          throw error;
        }
        if (mail.needsSmtpUtf8 && !offersSmtpUtf8(connection)) {
          release(connection);
          throw Object.assign(new Error("the server does not offer SMTPUTF8"), { code: smtpUtf8Missing });
        }
        const content = readWhenAsked(mail.bytes, requireBegin);
        const error = await transmit(connection, mail, content, signal);
        // A server may end a login without closing the connection. Only if the login fails on a new connection as well
        // does it count as refused.
        const isLoginOver = isReused && error !== null && refusesLogin(error);
        if (error === null || (isRefusal(error) && !isLoginOver))
          await reset(connection, error).then(release, () => undefined);
        else connection.close();
        if (error === null) return;
        // Servers close idle connections without notice. If none of the email was sent, it is sent over another
        // connection.
        const isStale = isReused && !content.readableDidRead && error.responseCode === undefined && !signal.aborted;
        if (!isStale && !isLoginOver) throw error;
      }
    },
    close: () => {
      isClosed = true;
      for (const connection of open) connection.close();
      for (const resolve of waiting.splice(0)) resolve();
    },
  };
}

/** Connects, starts TLS if the settings require it, and logs in if the server offers it. */
function ready(connection: SMTPConnection, credentials: SMTPConnection.Credentials | null): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once("error", reject);
    connection.connect((error) => {
      if (error !== undefined && error !== null) return reject(error);
      const { allowsAuth } = connection as SMTPConnection & { readonly allowsAuth: boolean };
      if (credentials === null || !allowsAuth) return resolve();
      connection.login(credentials, (refusal) => (refusal ? reject(refusal) : resolve()));
    });
  });
}

/** True if the server listed SMTPUTF8 in its reply to EHLO. */
function offersSmtpUtf8(connection: SMTPConnection): boolean {
  const { _supportedExtensions: extensions } = connection as unknown as { readonly _supportedExtensions: string[] };
  return extensions.includes("SMTPUTF8");
}

/** True if the server requires a login at MAIL FROM (RFC 4954 §6). */
function refusesLogin({ command, responseCode }: SmtpError): boolean {
  return command === "MAIL FROM" && [530, 534, 535, 538].includes(responseCode ?? 0);
}

/** Returns the email as a stream that the connection reads only after the server has replied 354 (RFC 5321). */
function readWhenAsked(bytes: Buffer, requireBegin: () => void): Readable {
  const content = async function* () {
    requireBegin();
    yield bytes;
  };
  return Readable.from(content(), { objectMode: false });
}

/** @returns the error with which the email failed, or null if the server accepted it */
function transmit(
  connection: SMTPConnection,
  { envelope }: ComposedMail,
  content: Readable,
  signal: AbortSignal,
): Promise<SmtpError | null> {
  return new Promise((resolve) => {
    const abort = (): void => {
      connection.close();
      settle(signal.reason as SmtpError);
    };
    const settle = (error: SmtpError | null): void => {
      signal.removeEventListener("abort", abort);
      resolve(error);
    };
    signal.addEventListener("abort", abort, { once: true });
    // The envelope is copied, because the library stores refusals in the object and would find them again on another
    // connection.
    connection.send({ ...envelope }, content, (error) => settle(error ?? null));
    if (signal.aborted) abort();
  });
}

/** True if the server refused this one email and the connection can still be used. */
function isRefusal({ code, responseCode }: SmtpError): boolean {
  return (code === "EENVELOPE" || code === "EMESSAGE") && responseCode !== undefined && responseCode !== 421;
}

/** Resets the session after a refused email (RFC 5321, RSET). @returns the connection, ready for the next email */
function reset(connection: SMTPConnection, refusal: SmtpError | null): Promise<SMTPConnection> {
  if (refusal === null) return Promise.resolve(connection);
  return new Promise((resolve, reject) => {
    connection.reset((error) => {
      if (!error) return resolve(connection);
      connection.close();
      reject(error);
    });
  });
}
