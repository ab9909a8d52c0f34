import { runRelay } from "./relay/run-relay.ts";

// Started by the gateway, which says everything else over the channel.
runRelay(process.env);
