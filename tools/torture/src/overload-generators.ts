import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { coreCount, pinToCores } from "@platform/stack/placement";
import type { OverloadLoad, OverloadSample } from "./overload-generator.ts";

/** Processes on the last core that send loads, the same ones for all loads: what is new is compiled first, and late meanwhile. */
export type Generators = {
  /** Runs one load in each process at the same time. */
  run(loads: readonly OverloadLoad[]): Promise<OverloadSample[]>;
  stop(): void;
};

/** Starts so many load processes; they end with this one at the latest. */
export function startGenerators(count: number): Generators {
  const script = fileURLToPath(new URL("./overload-generator.ts", import.meta.url));
  const children = Array.from({ length: count }, () => {
    const child = fork(script, { serialization: "advanced" });
    pinToCores(child.pid, `${coreCount - 1}`);
    return child;
  });
  const runOne = (load: OverloadLoad, index: number): Promise<OverloadSample> =>
    new Promise((resolve, reject) => {
      const child = children[index];
      const ended = (code: number | null): void => reject(new Error(`a load process ended with ${code}`));
      child?.once("exit", ended);
      child?.once("message", (sample) => {
        child.off("exit", ended);
        resolve(sample as OverloadSample);
      });
      child?.send(load);
    });
  return {
    run: (loads) => Promise.all(loads.map(runOne)),
    stop: () => {
      for (const child of children) if (child.connected) child.disconnect();
    },
  };
}
