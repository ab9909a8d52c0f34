import { rmSync } from "node:fs";
import { join } from "node:path";
import { createChecks } from "@platform/checks/nx/count-checks";
import { reportTotal } from "@platform/checks/nx/run-ring";
import { startLog } from "@platform/checks/nx/start-log";
import { readDefinitions } from "@platform/test-engines/install";
import { startControlPlane } from "./cluster/control-plane.ts";
import { dns } from "./cluster/dns.ts";
import { prepareMachine } from "./cluster/machine.ts";
import { startNode } from "./cluster/start-node.ts";
import { createIssuer } from "./environment/certificates.ts";
import { baseUrl, deployOverlay, deployStores, emptyStores, waitUntilReady } from "./environment/environment.ts";
import { createSecrets } from "./environment/secrets.ts";
import { rotateCertificate } from "./steps/certificate.ts";
import { startLoad } from "./steps/load.ts";
import { checkPolicies } from "./steps/network-policy.ts";
import { deployAlone, killPods, rollEach } from "./steps/rollouts.ts";
import { runAcceptance, seedAndRequest } from "./steps/smoke.ts";

// main.ts runs this program in separate namespaces: it creates the cluster, runs the platform in it and checks the
// results. All processes that it starts end with it.
const [folder = "", bin = "", images = "", ...chosen] = process.argv.slice(2);
const say = startLog();
const { check, counts } = createChecks(say);
const report = { check, say };
const all = [counts];

const own = join(folder, "cluster");
rmSync(own, { recursive: true, force: true });
await prepareMachine(own);
const cluster = await startControlPlane(own, bin);
say("the API server serves");
await cluster.kubectl(
  ["apply", "--server-side", "-f", "-"],
  readDefinitions(["gateway-api", "cert-manager"]).join("\n---\n"),
);
await startNode(own, bin, images, cluster);
say("the node is ready");
await cluster.apply(dns);
await waitUntilReady(cluster, "kube-system", performance.now());
say("CoreDNS is ready");
const showReady = (seconds: ReadonlyMap<string, number>): void => {
  for (const [name, one] of seconds) say(`ready ${name.padEnd(22)} ${one.toFixed(1).padStart(6)} s`);
};
const secrets = createSecrets();
const issuer = await createIssuer();
showReady(await deployStores(cluster, secrets));
try {
  if (chosen.includes("small")) {
    const environment = await deployOverlay(cluster, "small", { issuer, secrets });
    showReady(environment.readySeconds);
    check("overlays/small is ready", true);
    const demo = await seedAndRequest(cluster, environment.namespace, join(own, "small"), { secrets, ...report });
    const load = startLoad(baseUrl, demo.PROJECT_CREDENTIAL ?? "");
    await deployAlone(cluster, { overlay: "small", app: "events-svc" }, load, report);
    await load.stop();
    await cluster.kubectl(["delete", "namespace", environment.namespace]);
    await emptyStores(cluster);
  }
  if (chosen.includes("local")) {
    const environment = await deployOverlay(cluster, "local", { issuer, secrets });
    const { namespace, objects } = environment;
    showReady(environment.readySeconds);
    check("overlays/local is ready", true);
    const state = join(own, "local");
    const demo = await seedAndRequest(cluster, namespace, state, { secrets, ...report });
    await checkPolicies(cluster, namespace, report);
    all.push(await runAcceptance(state));
    const load = startLoad(baseUrl, demo.PROJECT_CREDENTIAL ?? "");
    await rollEach(cluster, namespace, load, report);
    await rotateCertificate(cluster, { namespace, objects, issuer }, load, report);
    await load.stop();
    await killPods(cluster, namespace, report);
    await seedAndRequest(cluster, namespace, join(own, "after"), { secrets, ...report });
  }
} catch (error) {
  check("the cluster is tested to the end", false, (error as Error).message);
}
reportTotal(all);
process.exit();
