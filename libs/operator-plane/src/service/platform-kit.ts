import { connectGrpc } from "@platform/kit/rpc/client";
import type { ServiceConfig } from "@platform/kit/service/config";
import type { ServiceKit } from "@platform/kit/service/start";
import type { Outbox } from "@platform/kit/store/documents";
import { type DisabledClients, watchDisabledClients, watchPlatformEventClients } from "../clients/disabled-clients.ts";
import { publishToEventsSvc, startPlatformEventRelay } from "../platform-events/relay-platform-events.ts";
import { publishAndTell, type TellContacts, tellContactsByIdentitySvc } from "../platform-events/tell-contacts.ts";

/** What a service's own wiring receives: the kit of every service, and functions about Project Clients. */
export type PlatformKit<S> = ServiceKit<S> & {
  watchDisabledClients(): Promise<DisabledClients>;
  /** Maintains the set of Project Clients with platform events. */
  watchPlatformEventClients(): Promise<DisabledClients>;
  /**
   * Publishes the platform events of some outboxes, if events-svc is configured.
   * @param tell notifies contacts; by default through identity-svc
   */
  relayPlatformEvents(outboxes: readonly Outbox[], tell?: TellContacts): void;
};

/** Adds the platform's part to a service's kit. Everything opened through it is closed with the process. */
export function createPlatformKit<S>(
  kit: ServiceKit<S>,
  { identityAddress, eventsAddress, tls }: ServiceConfig,
): PlatformKit<S> {
  const { logger, clock, metrics, onClose } = kit;
  const { registry } = metrics;
  const watchClients = (watch: typeof watchDisabledClients): Promise<DisabledClients> => {
    const watching = watch({ identity: { address: identityAddress, tls }, follow: kit.followChannel, logger });
    // The function is registered before the first reading has ended, because the process may stop during it.
    onClose(async () => (await watching).close());
    return watching;
  };
  const byIdentitySvc = (): TellContacts => {
    const identity = connectGrpc({ address: identityAddress, tls });
    onClose(identity.close);
    return tellContactsByIdentitySvc(identity);
  };
  return {
    ...kit,
    watchDisabledClients: () => watchClients(watchDisabledClients),
    watchPlatformEventClients: () => watchClients(watchPlatformEventClients),
    relayPlatformEvents: (outboxes, tell) => {
      if (eventsAddress === null) return;
      const events = connectGrpc({ address: eventsAddress, tls });
      onClose(events.close);
      const publish = publishAndTell(publishToEventsSvc(events), tell ?? byIdentitySvc(), logger);
      kit.job(startPlatformEventRelay({ outboxes, publish, clock, logger, registry }));
    },
  };
}
