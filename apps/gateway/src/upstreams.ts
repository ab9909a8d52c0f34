import { connectGrpc, type GrpcConnection } from "@platform/service-kit/grpc/connect";
import type { TlsSetting } from "@platform/service-kit/grpc/credentials";
import { connectAds } from "./handlers/ads/upstream.ts";
import { connectEvents } from "./handlers/events/upstream.ts";
import { connectFiles } from "./handlers/files/upstream.ts";
import { connectIdentity } from "./handlers/identity/upstream.ts";
import { connectNotify } from "./handlers/notify/upstream.ts";

/** host:port of each service. */
export type UpstreamAddresses = Readonly<Record<"identity" | "files" | "notify" | "events" | "ads", string>>;

/** Connects to every service. Nothing is sent until the first call. */
export function connectUpstreams(
  addresses: UpstreamAddresses,
  { tls, isMuxUsed }: { readonly tls: TlsSetting; readonly isMuxUsed: boolean },
) {
  const connect = (address: string): GrpcConnection => connectGrpc({ address, tls, isMuxUsed });
  const connections = {
    identity: connect(addresses.identity),
    files: connect(addresses.files),
    notify: connect(addresses.notify),
    events: connect(addresses.events),
    ads: connect(addresses.ads),
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
