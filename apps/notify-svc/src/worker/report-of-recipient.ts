import type { Delivery } from "../domain/delivery.ts";
import type { MailReport } from "../domain/mail-report.ts";
import { recordReport } from "../record-report.ts";
import type { WorkerDeps } from "./worker-deps.ts";

const reports: Readonly<Record<"bounced" | "complained", MailReport>> = {
  bounced: { kind: "bounced", status: "5.1.1", isPermanent: true, isAboutAddress: true },
  complained: { kind: "complained" },
};

/**
 * Records the report about an email to a test recipient, in the same way as the bounce receiver records the report
 * about any other email.
 */
export async function reportOf(
  { stores, clock }: Pick<WorkerDeps, "stores" | "clock">,
  { id }: Delivery,
  report: "bounced" | "complained",
): Promise<void> {
  await recordReport(stores, id, reports[report], clock());
}
