import { run, startTogether } from "@platform/kit/process/run";
import { platformLayers } from "./layers.ts";

await run(() => startTogether("platform", platformLayers, process.env));
