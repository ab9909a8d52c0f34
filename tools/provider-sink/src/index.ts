export type { FaultInput } from "./faults/fault.ts";
export {
  type ProviderSink,
  type ProviderSinkAddresses,
  type ProviderSinkOptions,
  startProviderSink,
} from "./start-provider-sink.ts";
export type { Channel, SinkMessage } from "./store/message.ts";
export type { MessageFilter } from "./store/message-store.ts";
export type { PushSubscriptionJson } from "./web-push/subscriptions.ts";
