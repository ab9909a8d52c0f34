import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReportOf } from "./read-mail.ts";

const folder = join(import.meta.dirname, "reports");
const read = (name: string) =>
  readReportOf(Buffer.from(readFileSync(join(folder, `${name}.eml`), "utf8").replaceAll("\n", "\r\n")));

const hard = (status: string) => ({ kind: "bounced", status, isPermanent: true, isAboutAddress: true });
const soft = (status: string) => ({ kind: "bounced", status, isPermanent: false, isAboutAddress: false });
const expected = {
  "postfix-no-such-user": hard("5.1.1"),
  "postfix-delayed": soft("4.4.1"),
  "exim-no-such-address": hard("5.0.0"),
  "exchange-recipient-not-found": hard("5.1.10"),
  "gmail-address-not-found": hard("5.1.1"),
  "gmail-unauthenticated-sender": { ...hard("5.7.26"), isAboutAddress: false },
  "sendmail-user-unknown": hard("5.1.1"),
  "qmail-no-mailbox": hard("5.1.1"),
  "ses-bounce": hard("5.4.1"),
  "dovecot-quota": soft("4.2.2"),
  "zimbra-expired": soft("4.4.1"),
  "domino-without-status": hard("5.0.0"),
  internationalized: hard("5.1.1"),
  "yahoo-complaint": { kind: "complained" },
  "fraud-complaint": { kind: "complained" },
  "not-spam-report": null,
  vacation: null,
  relayed: null,
};

describe("readReportOf", () => {
  it.each(Object.entries(expected))("reads the report %s as expected", async (name, report) => {
    expect(await read(name)).toEqual(report);
  });

  it("has an expected result for every report file", () => {
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(expected)
        .map((name) => `${name}.eml`)
        .sort(),
    );
  });

  it("returns null for bytes that are not an email", async () => {
    expect(await readReportOf(Buffer.alloc(1024, 0xff))).toBeNull();
  });

  it("reads an email of 20,000 nested parts without failing (denial of service)", async () => {
    const depth = 20_000;
    const parts = Array.from(
      { length: depth },
      (_, index) => `Content-Type: multipart/mixed; boundary=b${index}\r\n\r\n--b${index}\r\n`,
    );
    expect(
      await readReportOf(Buffer.from(`MIME-Version: 1.0\r\n${parts.join("")}\r\nend`)).catch(() => null),
    ).toBeNull();
  });
});
