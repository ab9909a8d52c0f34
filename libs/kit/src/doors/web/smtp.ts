/** Connections to mail servers. What other packages may import; a module without a line here is the package's own. */
export { type ComposedMail, connectSmtp, type SmtpConnections, smtpUtf8Missing } from "../../web/smtp-connections.ts";
