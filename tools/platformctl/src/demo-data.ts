import { generateKeyPairSync } from "node:crypto";

export const emailTemplateKey = "demo.welcome";
export const pushTemplateKey = "demo.push";

/** Templates of the demo project: one email in two languages, one push. */
export const demoCatalog = `templates:
  - key: ${emailTemplateKey}
    channel: email
    locale: en
    subject: "Welcome, {{ name }}"
    text: |
      Hello {{ name }},

      your account is ready.
    html: |
      <p>Hello {{ name }},</p>
      <p>your account is ready.</p>
    variables: { name: string }
  - key: ${emailTemplateKey}
    channel: email
    locale: ja
    subject: "{{ name }} さん、ようこそ"
    text: |
      {{ name }} さん

      アカウントの準備ができました。
    html: |
      <p>{{ name }} さん</p>
      <p>アカウントの準備ができました。</p>
    variables: { name: string }
  - key: ${pushTemplateKey}
    channel: fcm
    locale: en
    subject: "Hello {{ name }}"
    text: "You have a new message."
    variables: { name: string }
`;

/** Creates a service account that belongs to no real project. Its key is generated here, and only the local provider sink accepts it. */
export function demoFcmProfile() {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    project_id: "demo-project",
    client_email: "demo@demo-project.iam.gserviceaccount.com",
    private_key: privateKey,
    default_locale: "en",
    verification: true,
  };
}
