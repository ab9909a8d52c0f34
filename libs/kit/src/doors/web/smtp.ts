/** Connections to mail servers. */
export { type ComposedMail, connectSmtp, type SmtpConnections, smtpUtf8Missing } from "../../web/smtp-connections.ts";
