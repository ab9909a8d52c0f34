/** A Web Push of the platform, as it arrives at the page's service worker. */
export type PlatformPush = {
  readonly title: string;
  readonly body: string;
  /** An https URL that opens when the person taps the message. */
  readonly link?: string;
  /** An https URL of a picture. */
  readonly image?: string;
  /** The number on the app's icon. */
  readonly badge?: number;
  readonly silent?: boolean;
  /** A message replaces an earlier one with the same tag. */
  readonly tag?: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly delivery_id: string;
};

/** Options of `showNotification` (https://notifications.spec.whatwg.org/#dictdef-notificationoptions). */
export type NotificationFields = Readonly<Record<string, unknown>>;

export type PushOptions = {
  /** Receives the token of a verification push. Send it to your backend, which calls `notify.verifyDeliveryEndpoint`. */
  readonly onVerification: (token: string) => unknown;
  /** Completes the notification, for example with an icon. */
  readonly completeNotification?: (push: PlatformPush) => NotificationFields;
};

/**
 * The parts of a ServiceWorkerGlobalScope that are used here, because TypeScript's types of pages do not include it.
 */
export type PushScope = {
  addEventListener(type: "push", listener: (event: PushEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: ClickEvent) => void): void;
  readonly registration: { showNotification(title: string, options?: NotificationFields): Promise<void> };
  readonly clients: {
    matchAll(options: { type: "window"; includeUncontrolled: true }): Promise<readonly OpenPage[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly navigator: { setAppBadge?(count: number): Promise<void> };
};

type OpenPage = { readonly url: string; focus(): Promise<unknown> };
type PushEvent = { readonly data: { json(): unknown } | null; waitUntil(work: Promise<unknown>): void };
type ClickEvent = {
  readonly notification: { readonly data: unknown; close(): void };
  waitUntil(work: Promise<unknown>): void;
};
type Verification = { readonly type: "endpoint_verification"; readonly token: string };

/**
 * Shows the platform's Web Pushes in a service worker, and opens the link of one that is tapped (Push API, Notifications API). Call it while the
 * worker's script is evaluated: browsers ignore listeners that are added later.
 * @param scope `self` of the service worker
 */
export function showPushes(scope: PushScope, { onVerification, completeNotification }: PushOptions): void {
  const show = async (push: PlatformPush): Promise<void> => {
    const { title, body, image, tag, silent, badge, link, data, delivery_id } = push;
    const options = {
      body,
      ...(image === undefined ? {} : { image }),
      // A repeat of the same delivery replaces the notification that it repeats.
      tag: tag ?? delivery_id,
      ...(silent === undefined ? {} : { silent }),
      data: { link, data, delivery_id },
      ...completeNotification?.(push),
    };
    if (badge !== undefined) await scope.navigator.setAppBadge?.(badge).catch(() => {});
    await scope.registration.showNotification(title, options);
  };
  scope.addEventListener("push", (event: PushEvent) => {
    const received = event.data?.json() as PlatformPush | Verification | undefined;
    if (received === undefined) return;
    event.waitUntil("token" in received ? Promise.resolve(onVerification(received.token)) : show(received));
  });
  scope.addEventListener("notificationclick", (event: ClickEvent) => {
    event.notification.close();
    const { link } = (event.notification.data ?? {}) as { link?: string };
    // Only https addresses are opened, whatever another script of the worker has shown.
    if (link?.startsWith("https://") === true) event.waitUntil(openPage(scope, link));
  });
}

async function openPage({ clients }: PushScope, link: string): Promise<void> {
  const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = open.find(({ url }) => url === link);
  await (page === undefined ? clients.openWindow(link) : page.focus());
}
