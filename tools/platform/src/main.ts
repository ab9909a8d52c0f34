import { run } from "@platform/service-kit/process/run";
import { startTogether } from "@platform/service-kit/process/start-together";
import { platformLayers } from "./layers.ts";

await run(() => startTogether("platform", platformLayers, process.env));
