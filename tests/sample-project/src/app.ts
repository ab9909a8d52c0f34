import { fileURLToPath } from "node:url";
import { type Client, type FileContentType, webhooks } from "@platform/client";
import express from "express";

/** Settings with which the shop starts. */
export type ShopSettings = {
  readonly platform: Client;
  readonly projectClientId: string;
  /** URL of the platform that browsers use. */
  readonly platformUrl: string;
  /** URL of the shop itself. */
  readonly shopUrl: string;
  readonly senderProfileId: string;
  readonly webhookSecret: string;
  /** Asks the ad server for a signed decision token. */
  readonly decideAd: () => Promise<string>;
};

type User = { readonly id: string; email: string; accountId: string | null; photoId: string | null };
type Order = {
  readonly number: string;
  status: "open" | "shipped" | "stale";
  deliveryId: string | null;
  delivery: string | null;
};

/** The state of the shop in memory; a real shop has a database. */
export type Shop = {
  readonly app: express.Express;
  readonly users: Map<string, User>;
  readonly orders: Map<string, Order>;
  /** Registers the endpoint that the platform calls, and returns its id. */
  registerWebhook(): Promise<string>;
};

/** Creates a small shop on the platform. It moves its users, takes photos, sends emails, is called on a schedule and shows an ad. */
export function createShop(settings: ShopSettings): Shop {
  const { platform, projectClientId, shopUrl } = settings;
  const app = express();
  const users = new Map<string, User>();
  const orders = new Map<string, Order>();
  /** Migrations, by the state with which the browser returns. */
  const migrations = new Map<string, { userId: string; transactionId: string }>();

  // The platform's calls must be read first, because their signature covers the bytes, which express.json() would
  // consume.
  app.post("/hooks", webhooks.expressHandler({ secret: settings.webhookSecret, handle: handleCall }));
  app.use(express.json());

  app.post("/users/:id", (request, response) => {
    const { id } = request.params;
    users.set(id, { id, email: request.body.email, accountId: null, photoId: null });
    response.status(201).json({ id });
  });

  // Moves a user who has just signed in here: the browser continues to the platform's pages and comes back to /migrated.
  app.post("/users/:id/migration", async (request, response) => {
    const user = userOf(request.params.id);
    const { data: transaction } = await platform.call("identity.createIdentityMigrationTransaction", {
      idempotencyKey: `migrate-${user.id}`,
      body: {
        project_client_id: projectClientId,
        legacy_subject: user.id,
        email: user.email,
        locale: "en",
        correlation_id: crypto.randomUUID(),
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      },
    });
    const state = crypto.randomUUID();
    migrations.set(state, { userId: user.id, transactionId: transaction.id });
    const { data: continuation } = await platform.call("identity.createHostedContinuation", {
      params: { transactionId: transaction.id },
      body: { flow_token: transaction.flow_token, return_uri: `${shopUrl}/migrated`, state },
    });
    const form = platform.hostedContinuationForm(continuation, "Continue to your new account");
    response.set("cache-control", "no-store").send(`<!doctype html><title>Your account moves</title>${form.html}`);
  });

  app.get("/migrated", async (request, response) => {
    const migration = migrations.get(String(request.query.state));
    if (migration === undefined) return void response.status(404).send("unknown");
    const params = { transactionId: migration.transactionId };
    const { data: transaction } = await platform.call("identity.getIdentityMigrationTransaction", { params });
    if (transaction.account_id === null) return void response.status(409).send("not linked");
    // The link is recorded first and confirmed afterwards. After a crash between the two, the confirmation is repeated.
    userOf(migration.userId).accountId = transaction.account_id;
    await platform.call("identity.confirmLink", { params });
    response.send("Welcome back");
  });

  app.put("/users/:id/photo", async (request, response) => {
    const user = userOf(request.params.id);
    const contentType = (request.headers["content-type"] ?? "") as FileContentType;
    const verdict = await platform.uploadFile(request, { contentType });
    if (verdict.status === "rejected") return void response.status(422).json({ reason: verdict.rejectionReason });
    user.photoId = verdict.fileObjectId;
    response.json({ photo: verdict.fileObjectId, status: verdict.status });
  });

  // Ships an order and emails its customer, who proved the address at sign-up.
  app.post("/orders/:number/shipment", async (request, response) => {
    const user = userOf(request.body.user);
    const order = orderOf(request.params.number);
    const { data: endpoint } = await platform.call("notify.registerEmailDeliveryEndpoint", {
      body: { address: user.email },
    });
    if (endpoint.verification_token !== null) {
      const params = { endpointId: endpoint.id };
      await platform.call("notify.verifyEmailDeliveryEndpoint", {
        params,
        body: { token: endpoint.verification_token },
      });
    }
    const { data: intent } = await platform.call("notify.createNotificationIntent", {
      idempotencyKey: `shipped-${order.number}`,
      body: {
        sender_profile_id: settings.senderProfileId,
        template_key: "order-shipped",
        locale: "en",
        endpoint_id: endpoint.id,
        variables: { order_number: order.number, parcels: Number(request.body.parcels) },
      },
    });
    Object.assign(order, { status: "shipped", deliveryId: intent.delivery_id });
    response.json({ delivery: intent.delivery_id });
  });

  app.get("/orders/:number", (request, response) => void response.json(orderOf(request.params.number)));

  // Shows an ad and reports the impression once it was viewable.
  app.use(
    "/platform-client",
    express.static(fileURLToPath(new URL("..", import.meta.resolve("@platform/client/viewability")))),
  );
  app.get("/ad", async (_request, response) => {
    const options = { baseUrl: settings.platformUrl, token: await settings.decideAd(), format: "display" };
    const json = JSON.stringify(options).replaceAll("<", "\\u003c");
    response.send(`<!doctype html><title>Shop</title><div id="ad" style="width:300px;height:250px;background:#cde">Ad</div>
<script type="module">
import { observeAd } from "/platform-client/viewability/index.js";
const result = await observeAd(document.getElementById("ad"), ${json}).recorded;
document.title = result?.recorded ? "Shop: ad seen" : "Shop: ad not recorded";
</script>`);
  });

  function handleCall(call: webhooks.WebhookCall): void {
    if (call.kind === "scheduled") {
      for (const order of orders.values()) if (order.status === "open") order.status = "stale";
    } else if (call.event.type.startsWith("platform.notification_delivery.")) {
      const deliveryId = call.event.data.notification_delivery_id;
      const order = [...orders.values()].find((one) => one.deliveryId === deliveryId);
      if (order !== undefined) order.delivery = call.event.type.slice(call.event.type.lastIndexOf(".") + 1);
    }
  }

  function userOf(id: string): User {
    const user = users.get(id);
    if (user === undefined) throw Object.assign(new Error("unknown user"), { status: 404 });
    return user;
  }

  function orderOf(number: string): Order {
    const order = orders.get(number) ?? { number, status: "open", deliveryId: null, delivery: null };
    orders.set(number, order);
    return order;
  }

  return {
    app,
    users,
    orders,
    registerWebhook: async () => {
      const { data } = await platform.call("events.registerScheduledOperation", {
        idempotencyKey: `hooks-of-${shopUrl}`,
        body: { name: "orders.close-stale", url: `${shopUrl}/hooks`, secret: settings.webhookSecret },
      });
      return data.id;
    },
  };
}
