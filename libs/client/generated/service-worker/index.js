/**
 * Shows the platform's Web Pushes in a service worker, and opens the link of one that is tapped (Push API, Notifications API). Call it while the
 * worker's script is evaluated: browsers ignore listeners that are added later.
 * @param scope `self` of the service worker
 */
export function showPushes(scope, { onVerification, completeNotification }) {
    const show = async (push) => {
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
        if (badge !== undefined)
            await scope.navigator.setAppBadge?.(badge).catch(() => { });
        await scope.registration.showNotification(title, options);
    };
    scope.addEventListener("push", (event) => {
        const received = event.data?.json();
        if (received === undefined)
            return;
        event.waitUntil("token" in received ? Promise.resolve(onVerification(received.token)) : show(received));
    });
    scope.addEventListener("notificationclick", (event) => {
        event.notification.close();
        const { link } = (event.notification.data ?? {});
        // Only https addresses are opened, whatever another script of the worker has shown.
        if (link?.startsWith("https://") === true)
            event.waitUntil(openPage(scope, link));
    });
}
async function openPage({ clients }, link) {
    const open = await clients.matchAll({ type: "window", includeUncontrolled: true });
    const page = open.find(({ url }) => url === link);
    await (page === undefined ? clients.openWindow(link) : page.focus());
}
