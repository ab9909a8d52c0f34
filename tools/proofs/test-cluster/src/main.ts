import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startLog } from "@platform/checks/nx/start-log";
import { repositoryRoot } from "@platform/stack/stack";
import { install } from "@platform/test-engines/install";
import { makeImages } from "./machine/images.ts";
import { runOnOwnMachine } from "./machine/own-machine.ts";
import { missingRequirements } from "./machine/requirements.ts";

// Command: make test-cluster [ONLY=small,local]. It creates a Kubernetes cluster of one node on this machine, runs the
// platform in it, and removes everything afterwards.
const overlays = ["small", "local"];
const chosen = (process.env.ONLY ?? "") === "" ? overlays : (process.env.ONLY ?? "").split(",");
const unknown = chosen.filter((name) => !overlays.includes(name));
if (unknown.length > 0) {
  console.error(`ONLY takes ${overlays.join(", ")}, and not ${unknown.join(", ")}`);
  process.exit(1);
}
const missing = missingRequirements();
if (missing.length > 0) {
  console.error(`make test-cluster lacks\n${missing.map((one) => `  ${one}`).join("\n")}`);
  process.exit(1);
}
const say = startLog();

const folder = join(repositoryRoot, ".local/test-cluster");
mkdirSync(folder, { recursive: true });
const programs = await install(join(repositoryRoot, ".local/test-engines"), ["cluster", "kubernetes", "s3"], say);
const images = await makeImages(folder, programs, say);
say("starting the cluster");
process.exitCode = await runOnOwnMachine(folder, join(import.meta.dirname, "run-cluster.ts"), [
  folder,
  programs.bin,
  images,
  ...chosen,
]);
say("the cluster is gone");
