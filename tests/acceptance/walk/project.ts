import { generateKeyPairSync, randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exampleRequests } from "@platform/contracts/examples";
import { readEnvFile } from "@platform/stack/settings";
import { acceptanceStack, ctl, newClient, type TestClient } from "../stack.ts";

/** A Project Client with everything that its operations need: return addresses, sender profiles and templates. */
export type Project = {
  readonly client: TestClient;
  readonly emailProfileId: string;
  readonly fcmProfileId: string;
  /** Key that signs the assertions of the FCM profile. The canary test searches for it. */
  readonly fcmPrivateKey: string;
  /** Password of the email profile's account. */
  readonly smtpPassword: string;
};

const example = exampleRequests["notify.createNotificationIntent"].body;

const template = (channel: string) => `
  - key: ${example.template_key}
    channel: ${channel}
    locale: ${example.locale}
    subject: "Order {{ order_number }}"
    text: "{{ parcels }} parcels."
    variables: { order_number: string, parcels: integer }`;

const { privateKey: fcmPrivateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

const exampleReturnUri: string = exampleRequests["identity.createHostedContinuation"].body.return_uri;

/** Creates a project whose example requests succeed with real ids. */
export async function newProject(returnUri = exampleReturnUri): Promise<Project> {
  const client = await newClient({ returnUris: [returnUri] });
  const profile = async (channel: string, config: object): Promise<string> => {
    const args = ["--client", client.id, "--channel", channel, "--name", channel, "--config", JSON.stringify(config)];
    return (await ctl(["sender-profiles", "create", ...args])).id;
  };
  const smtpPassword = `smtp-${randomUUID()}`;
  const smtpUrl = new URL(readEnvFile(join(acceptanceStack.directory, "stack.env")).SMTP_URL ?? "");
  smtpUrl.username = "walker";
  smtpUrl.password = smtpPassword;
  const catalogPath = join(tmpdir(), `catalog-${client.id}.yaml`);
  await writeFile(catalogPath, `templates:${template("email")}${template("fcm")}\n`);
  const [emailProfileId, fcmProfileId] = await Promise.all([
    profile("email", { from: "Shop <shop@example.com>", smtp_url: smtpUrl.href }),
    profile("fcm", {
      project_id: "walk",
      client_email: "walk@walk.iam.gserviceaccount.com",
      private_key: fcmPrivateKey,
      verification: true,
    }),
    ctl(["catalog", "apply", "--client", client.id, "--file", catalogPath]),
  ]);
  await rm(catalogPath);
  return { client, emailProfileId, fcmProfileId, fcmPrivateKey, smtpPassword };
}
