import { readFileSync } from "node:fs";
import { join } from "node:path";
import SMTPConnection from "nodemailer/lib/smtp-connection";

const folder = join(import.meta.dirname, "../src/bounces/reports");

/** A report of those that the unit tests read, as it would be returned to an address. */
export function reportTo(address: string, name: string): string {
  return readFileSync(join(folder, `${name}.eml`), "utf8")
    .replaceAll("RETURN_PATH", address)
    .replaceAll("\n", "\r\n");
}

/** The reply to an email. A broken connection has the code 0. */
type Reply = { readonly code: number; readonly text: string };

/** A connection of another mail server. */
export type MailServer = {
  send(to: readonly string[], mail: string | Buffer): Promise<Reply>;
  close(): void;
};

/** Connects as another mail server does. Rejects where the connection is refused. */
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
      // A rejected email leaves its envelope behind (RFC 5321 §4.1.1.5).
      if (reply.code >= 400) await reset();
      return reply;
    },
    close: () => connection.close(),
  };
}
