import { join } from "node:path";
import { makeDemoHistory } from "./demo-history.ts";
import { runDemoRequests } from "./demo-requests.ts";
import { openCtl } from "./open-ctl.ts";
import { readEnvFile } from "./settings.ts";
import type { Stack } from "./stack.ts";

/**
 * Seeds the demo project of a stack, shows one request for each domain, and creates the project's history if it is
 * wanted. Rejects if a request is rejected.
 */
export async function showDemo(
  { directory, settings, mongodbUri, databaseOf }: Stack,
  {
    hasHistory,
    say,
    show,
  }: { readonly hasHistory: boolean; readonly say: (text: string) => void; readonly show: (line: string) => void },
): Promise<void> {
  const ctl = openCtl(directory);
  try {
    say("seeding the demo project");
    await ctl.run(["demo", "seed"]);
    say("one request through each domain");
    const demo = readEnvFile(join(directory, "demo.env"));
    await runDemoRequests({ demo, ctl: ctl.run, sinkUrl: settings.SINK_URL ?? "", show });
    if (!hasHistory) return;
    const { PROJECT_CLIENT_ID: clientId = "", CAMPAIGN_ID: campaignId = "" } = demo;
    const made = await makeDemoHistory({ mongodbUri, databaseOf, clientId, campaignId, now: new Date() });
    if (made > 0) say(`${made} sample records are the demo project's history; DEMO_HISTORY=off leaves them out`);
  } finally {
    ctl.close();
  }
}
