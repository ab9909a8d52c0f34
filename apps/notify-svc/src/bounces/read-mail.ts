import { simpleParser } from "mailparser";
import { type MailReport, readMailReport } from "../domain/mail-report.ts";

/** Maximum length of a text that is searched for the words of a report, in characters. */
const textMax = 64 * 1024;

/**
 * Reads the report in an email.
 * @param source the email as it arrived (RFC 5322)
 * @returns null for an email that is not a report, such as a vacation notice
 */
export async function readReportOf(source: Buffer): Promise<MailReport | null> {
  const { attachments, text = "" } = await simpleParser(source, {
    // Keeps the delivery status as a separate part; by default its lines are added to the text.
    keepDeliveryStatus: true,
    skipHtmlToText: true,
    skipImageLinks: true,
    skipTextLinks: true,
    skipTextToHtml: true,
  });
  return readMailReport({
    parts: attachments.map(({ contentType, content }) => ({
      contentType: contentType.toLowerCase(),
      text: content.toString("utf8", 0, textMax),
    })),
    text: text.slice(0, textMax),
  });
}
