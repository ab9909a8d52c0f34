import { startApnsListeners } from "./apns/apns-listeners.ts";
import { ProviderTokens } from "./apns/provider-tokens.ts";
import { loadCertificate } from "./certificate.ts";
import { parseInput } from "./control/parse-input.ts";
import { type FaultInput, faultSchema } from "./faults/fault.ts";
import { FaultBook } from "./faults/fault-book.ts";
import { startHttpListener } from "./http-listener.ts";
import { startSmtpListeners } from "./smtp/smtp-listeners.ts";
import type { SinkMessage } from "./store/message.ts";
import { type MessageFilter, MessageStore } from "./store/message-store.ts";
import type { PushSubscriptionJson } from "./web-push/subscriptions.ts";

/** Options of the sink. If a port is 0 or undefined, the sink chooses a free one. */
export type ProviderSinkOptions = {
  httpPort?: number;
  /** Address on which the HTTP listener, which includes the control API, listens (default 127.0.0.1). */
  httpHost?: string;
  smtpPort?: number;
  smtpsPort?: number;
  apnsPort?: number;
  apnsTlsPort?: number;
  /** Folder in which the TLS certificate is kept between starts. Without it, each start creates a certificate in memory. */
  directory?: string;
  /** Maximum number of messages that are kept (default 200,000). Beyond it, the oldest are dropped. */
  maxMessages?: number;
  /** Maximum bytes of raw messages that are kept (default 512 MiB). Beyond it, the oldest are dropped. */
  maxBytes?: number;
  /** APNs returns 429 TooManyProviderTokenUpdates to a new provider token within 20 minutes (default off). */
  refuseFrequentApnsTokens?: boolean;
  /** True if the mail server offers SMTPUTF8 (RFC 6531). Default true. */
  smtpUtf8?: boolean;
  /** Port of 127.0.0.1 to which the sink sends reports about emails to `bounce-…` and `complaint-…`. Without it, no reports are sent. */
  reportPort?: number;
};

export type ProviderSinkAddresses = {
  httpUrl: string;
  smtpUrl: string;
  smtpsUrl: string;
  fcmBaseUrl: string;
  fcmTokenUrl: string;
  apnsBaseUrl: string;
  apnsTlsBaseUrl: string;
  lineBaseUrl: string;
  webPushBaseUrl: string;
  caCertificatePem: string;
};

export type ProviderSink = ProviderSinkAddresses & {
  /** Returns the same messages as `GET /messages`, oldest first. With `waitMs`, it waits until `count` messages match (default 1). */
  messages: (filter?: MessageFilter) => Promise<SinkMessage[]>;
  /** Deletes all messages and faults. */
  clear: () => void;
  /** Sets a fault, as `POST /faults` does. Throws an Error that describes the problem if the fault is invalid. */
  setFault: (fault: FaultInput) => void;
  clearFaults: () => void;
  /** Creates a browser's subscription, whose private key the sink stores. It is restricted to a VAPID key if one is given. */
  createPushSubscription: (applicationServerKey?: string) => PushSubscriptionJson;
  close: () => Promise<void>;
};

/** Starts every listener of the sink. Rejects if a port is in use. */
export async function startProviderSink(options: ProviderSinkOptions = {}): Promise<ProviderSink> {
  const certificate = await loadCertificate(options.directory);
  const store = new MessageStore({
    maxMessages: options.maxMessages ?? 200_000,
    maxBytes: options.maxBytes ?? 512 * 1024 * 1024,
  });
  const faults = new FaultBook();
  const state = { store, faults };
  const providerTokens = new ProviderTokens({ refuseFrequentUpdates: options.refuseFrequentApnsTokens ?? false });
  // All listeners are closed together: by close(), or immediately if the port of a later listener is in use.
  await using starting = new AsyncDisposableStack();
  const http = starting.adopt(
    await startHttpListener(state, { port: options.httpPort ?? 0, host: options.httpHost ?? "127.0.0.1" }),
    closeListener,
  );
  const smtp = starting.adopt(
    await startSmtpListeners(state, {
      port: options.smtpPort ?? 0,
      securePort: options.smtpsPort ?? 0,
      certificate,
      hasSmtpUtf8: options.smtpUtf8 ?? true,
      reportPort: options.reportPort ?? null,
    }),
    closeListener,
  );
  const apns = starting.adopt(
    await startApnsListeners(state, providerTokens, {
      port: options.apnsPort ?? 0,
      tlsPort: options.apnsTlsPort ?? 0,
      certificate,
    }),
    closeListener,
  );
  const listeners = starting.move();
  const httpUrl = `http://127.0.0.1:${http.port}`;
  return {
    httpUrl,
    smtpUrl: `smtp://127.0.0.1:${smtp.port}`,
    smtpsUrl: `smtps://127.0.0.1:${smtp.securePort}`,
    fcmBaseUrl: httpUrl,
    fcmTokenUrl: `${httpUrl}/token`,
    apnsBaseUrl: `http://127.0.0.1:${apns.port}`,
    apnsTlsBaseUrl: `https://127.0.0.1:${apns.tlsPort}`,
    lineBaseUrl: httpUrl,
    webPushBaseUrl: `${httpUrl}/web-push`,
    caCertificatePem: certificate.cert,
    messages: (filter) => store.find(filter),
    clear: () => {
      store.clear();
      faults.clear();
    },
    setFault: (fault) => faults.add(parseInput(faultSchema, fault)),
    clearFaults: () => faults.clear(),
    createPushSubscription: (applicationServerKey) => http.subscriptions.create(applicationServerKey ?? null),
    close: async () => {
      store.close();
      await listeners.disposeAsync();
    },
  };
}

function closeListener(listener: { close: () => Promise<void> }): Promise<void> {
  return listener.close();
}
