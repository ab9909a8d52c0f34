import { readFileSync } from "node:fs";
import { join } from "node:path";
import SMTPConnection from "nodemailer/lib/smtp-connection";

const folder = join(import.meta.dirname, "../src/bounces/reports");

/** One of the reports that the unit tests read, addressed to the given return path. */
export function reportTo(address: string, name: string): string {
  return readFileSync(join(folder, `${name}.eml`), "utf8")
    .replaceAll("RETURN_PATH", address)
    .replaceAll("\n", "\r\n");
}

/** The reply to an email. The code is 0 if the connection broke. */
type Reply = { readonly code: number; readonly text: string };

/** A connection that another mail server has opened. */
export type MailServer = {
  send(to: readonly string[], mail: string | Buffer): Promise<Reply>;
  close(): void;
};

/** Connects as another mail server does. Rejects if the connection is refused. */
export async function connectMailServer(port: number): Promise<MailServer> {
  const connection = new SMTPConnection({ host: "127.0.0.1", port, ignoreTLS: true });
  let broken: () => void = () => {};
  await new Promise<void>((resolve, reject) => {
    connection.on("error", (error) => {
      reject(error);
      broken();
    });
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  const send = (to: readonly string[], mail: string | Buffer): Promise<Reply> =>
    new Promise((resolve) => {
      broken = () => resolve({ code: 0, text: "the connection broke" });
      connection.once("end", broken);
      connection.send({ from: "", to: [...to] }, mail, (error, info) => {
        connection.off("end", broken);
        if (error === null || error === undefined) return resolve({ code: 250, text: info?.response ?? "" });
        resolve({ code: error.responseCode ?? 0, text: error.message });
      });
    });
  const reset = (): Promise<void> => new Promise((resolve) => connection.reset(() => resolve()));
  return {
    send: async (to, mail) => {
      const reply = await send(to, mail);
      // After a rejected email, its envelope is still set (RFC 5321 §4.1.1.5), so it is reset.
      if (reply.code >= 400) await reset();
      return reply;
    },
    close: () => connection.close(),
  };
}
