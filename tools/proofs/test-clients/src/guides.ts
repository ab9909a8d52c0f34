import type { GuideLanguage } from "@platform/docs-site/guide-script";
import { startGuide } from "@platform/docs-site/run-guide";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { expect } from "./steps.ts";

/** Output of each guide after its programs have finished; it is the same in every language. */
const printedBy: Readonly<Record<string, RegExp>> = {
  "move-your-users": /<form method="post" action="\S+\/continue">[\s\S]*\npending\n/,
  "accept-an-upload": /^available [0-9a-f-]{36}\nMinutes of the meeting\n/m,
  "publish-an-image": /^1 200 image\/webp\n/m,
  "send-a-mail-and-a-push": /Hanako[\s\S]*\nsent\n/,
  "find-out-why-a-request-failed": /contract_violation [0-9a-f-]{36}\n/,
  "call-me-on-a-schedule": /^nightly\.report \d{4}-/m,
  "react-to-events": /^order\.placed \/project-clients\/\S+ \{"order":"order-\S+\}\n/m,
};

/** The guides that `runGuide` can run. */
export const guideNames = Object.keys(printedBy);

/**
 * Runs a guide as printed, with its programs in one language, until they have printed the expected output.
 * @param directory folder of the stack
 * @param addresses addresses that the guide prints, and the corresponding ones of the stack
 */
export async function runGuide(
  name: string,
  language: GuideLanguage,
  directory: string,
  addresses: Readonly<Record<string, string>>,
): Promise<void> {
  const env = { STACK_DIR: directory, PLATFORMCTL_HOME: directory, PORT: `${await freePort()}` };
  const guide = startGuide(name, language, { env, addresses });
  const expected = printedBy[name] ?? /$^/;
  try {
    await guide.ended;
    await eventually(() => expected.test(guide.printed())).catch(() => {
      expect(false, `${name} printed\n${guide.printed()}`);
    });
  } finally {
    guide.stop();
  }
}
