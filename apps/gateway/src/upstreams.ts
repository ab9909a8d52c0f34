import { connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import type { TlsFiles } from "@platform/service-kit/grpc/credentials";
import { connectAds } from "./handlers/ads/upstream.ts";
import { connectEvents } from "./handlers/events/upstream.ts";
import { connectFiles } from "./handlers/files/upstream.ts";
import { connectIdentity } from "./handlers/identity/upstream.ts";
import { connectNotify } from "./handlers/notify/upstream.ts";

/** host:port of each service. */
export type UpstreamAddresses = Readonly<Record<"identity" | "files" | "notify" | "events" | "ads", string>>;

/** Connects to every service. Nothing is sent until the first call. */
export function connectUpstreams(addresses: UpstreamAddresses, tls: TlsFiles | null) {
  const connections = {
    identity: connectGrpc({ address: addresses.identity, tls }),
    files: connectGrpc({ address: addresses.files, tls }),
    notify: connectGrpc({ address: addresses.notify, tls }),
    events: connectGrpc({ address: addresses.events, tls }),
    ads: connectGrpc({ address: addresses.ads, tls }),
  } satisfies Record<string, GrpcConnection>;
  return {
    connections,
    identity: connectIdentity(connections.identity),
    files: connectFiles(connections.files),
    notify: connectNotify(connections.notify),
    events: connectEvents(connections.events),
    ads: connectAds(connections.ads),
    close: () => {
      for (const connection of Object.values(connections)) connection.close();
    },
  };
}

/** Typed gRPC clients by service. */
export type Upstreams = ReturnType<typeof connectUpstreams>;
