import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createChecks } from "@platform/checks/nx/count-checks";
import type { Counts } from "@platform/checks/nx/run-ring";
import { runStep } from "@platform/checks/workflows/run-step";
import { repositoryRoot } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { output } from "../images/podman.ts";
import { statementType, writeOciArchive } from "./oci-archive.ts";

const [app, backup] = ["ads-svc", "ads-svc-backup"];
const version = "0.2.0";

/** The parts of a manifest or index that are read here. */
type Manifest = {
  readonly manifests?: readonly { readonly digest: string; readonly annotations?: Readonly<Record<string, string>> }[];
  readonly layers?: readonly { readonly digest: string; readonly mediaType: string }[];
};

/**
 * Runs the unchanged steps of the workflows that push, sign and verify images, against a registry on this machine and
 * with a new key. A script that calls crane replaces Docker, which the steps use only to log in and to combine two
 * architectures.
 * @param programs folder of crane and cosign
 */
export async function runRegistry(
  installation: string,
  programs: string,
  say: (text: string) => void,
): Promise<Counts> {
  const { check, counts } = createChecks(say);
  mkdirSync(installation, { recursive: true });
  const folder = mkdtempSync(join(installation, "registry-"));
  const port = await freePort();
  const registry = `localhost:${port}`;
  const serving = spawn(join(programs, "crane"), ["registry", "serve", `--address=127.0.0.1:${port}`], {
    stdio: "ignore",
  });
  try {
    await eventually(async () => (await fetch(`http://${registry}/v2/`)).ok, { timeoutMs: 30_000 });
    await tryRelease(check, { folder, registry, programs });
  } catch (error) {
    check("the steps run", false, (error as Error).stack);
  } finally {
    serving.kill();
    await once(serving, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
  return counts;
}

type Place = { readonly folder: string; readonly registry: string; readonly programs: string };

async function tryRelease(check: ReturnType<typeof createChecks>["check"], place: Place): Promise<void> {
  const { folder, registry } = place;
  const env = await makeMachine(place);
  const [key, otherKey] = [await makeKey(place, "own"), await makeKey(place, "other")];
  const push = async (image: string): Promise<string> => {
    const work = join(folder, image);
    mkdirSync(work);
    for (const architecture of ["amd64", "arm64"])
      await writeOciArchive(work, architecture, `${image} for ${architecture}`);
    const { digest = "" } = run(work, "push", image);
    return digest;
  };
  const run = (work: string, step: string, image: string, more: Readonly<Record<string, string>> = {}) =>
    runStep({
      workflow: "publish-image.yml",
      job: "push",
      step,
      folder: work,
      env,
      values: {
        "vars.REGISTRY": registry,
        "vars.REGISTRY_USER || github.actor": "releaser",
        "secrets.REGISTRY_TOKEN": "token",
        "inputs.image": image,
        "inputs.version": version,
        "vars.SIGN_WITH": `--key ${key}.key --tlog-upload=false`,
        ...more,
      },
    });
  const sign = (image: string, digest: string): void =>
    void run(join(folder, image), "Sign", image, { "steps.push.outputs.digest": digest });

  const digests = { [app]: await push(app), [backup]: await push(backup) };
  for (const [image, digest] of Object.entries(digests)) {
    check(`${image} is pushed by digest`, /^sha256:[0-9a-f]{64}$/.test(digest), digest);
    const bills = await billsOf(registry, image, digest);
    check(`${image} has a bill of materials for each architecture`, bills === 2, `${bills} bills`);
  }

  const checkout = await makeCheckout(place, digests);
  const verify = (publicKey: string, from = checkout): string => {
    try {
      runStep({
        workflow: "promote.yml",
        job: "promote",
        step: "Verify the signatures",
        folder: from,
        env,
        values: {
          "inputs.app": app,
          "inputs.from": "staging",
          "inputs.to": "production",
          "vars.VERIFY_WITH": `--key ${publicKey} --insecure-ignore-tlog=true`,
        },
      });
      return "verified";
    } catch (error) {
      return `refused: ${String((error as { stderr?: Buffer }).stderr ?? (error as Error).message).trim()}`;
    }
  };
  const checkRefused = (what: string, said: string): void =>
    check(what, /^refused: .*(no signatures|no matching signatures)/is.test(said), said);

  checkRefused("images without a signature are refused", verify(`${key}.pub`));
  sign(app, digests[app] ?? "");
  checkRefused("a signed image beside an unsigned one is refused", verify(`${key}.pub`));
  sign(backup, digests[backup] ?? "");
  const verified = verify(`${key}.pub`);
  check("signed images are verified with the own key", verified === "verified", verified);
  checkRefused("images signed with another key are refused", verify(`${otherKey}.pub`));

  // Anyone with permission to push can move a tag; deployments therefore name images by digest.
  for (const architecture of ["amd64", "arm64"])
    await writeOciArchive(join(folder, backup), architecture, "another image");
  const { digest: moved = "" } = run(join(folder, backup), "push", backup);
  check("a tag can be moved", moved !== "" && moved !== digests[backup], moved);
  const still = verify(`${key}.pub`);
  check("a tag that was moved changes nothing in what is verified", still === "verified", still);
  const movedCheckout = await makeCheckout(
    { ...place, folder: join(folder, "moved") },
    { ...digests, [backup]: moved },
  );
  checkRefused("the image behind the moved tag is refused", verify(`${key}.pub`, movedCheckout));
}

/** Programs and settings of this machine that the steps need. */
async function makeMachine({ folder, registry, programs }: Place): Promise<Record<string, string>> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const crane = join(programs, "crane");
  const docker = `#!/bin/sh
case "$1 $2 $3" in
"login "*) cat > /dev/null; mkdir -p "$HOME/.docker"; echo '{}' > "$HOME/.docker/config.json" ;;
"buildx imagetools create") exec ${crane} index append -t "$5" -m "$6" -m "$7" ;;
"buildx imagetools inspect") printf '{"digest":"%s"}\\n' "$(${crane} digest "$4")" ;;
*) echo "docker $* is not expected here" >&2; exit 1 ;;
esac
`;
  writeFileSync(join(bin, "docker"), docker);
  chmodSync(join(bin, "docker"), 0o755);
  // The path where every version of skopeo looks; Debian's version does not read CONTAINERS_REGISTRIES_CONF.
  const home = join(folder, "home");
  const config = join(home, ".config/containers");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "registries.conf"), `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`);
  return {
    PATH: [bin, programs, join(repositoryRoot, "node_modules/.bin"), process.env.PATH ?? ""].join(":"),
    HOME: home,
    COSIGN_PASSWORD: "",
    GITHUB_REPOSITORY: "example/platform",
  };
}

/** Creates a key pair in files that end in .key and .pub. */
async function makeKey({ folder, programs }: Place, name: string): Promise<string> {
  const prefix = join(folder, name);
  await output("env", [
    "COSIGN_PASSWORD=",
    join(programs, "cosign"),
    "generate-key-pair",
    "--output-key-prefix",
    prefix,
  ]);
  return prefix;
}

/** Creates the files of a checkout that the promotion reads, in which production runs the pushed images. */
async function makeCheckout({ folder, registry }: Place, digests: Readonly<Record<string, string>>): Promise<string> {
  const checkout = join(folder, "checkout");
  for (const part of ["k8s", "tools/release"])
    cpSync(join(repositoryRoot, part), join(checkout, part), { recursive: true });
  const images = Object.entries(digests).map(([image, digest]) => `${registry}/platform/${image}:${version}@${digest}`);
  const deploy = ["tools/release/src/main.ts", "deploy", "production", app, ...images];
  await output("sh", ["-c", 'cd "$1" && shift && exec "$@"', "sh", checkout, process.execPath, ...deploy]);
  return checkout;
}

/** Returns the number of bills of materials in an index. */
async function billsOf(registry: string, image: string, digest: string): Promise<number> {
  const read = async (reference: string): Promise<Manifest> => {
    const accept = ["application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json"].join();
    const response = await fetch(`http://${registry}/v2/platform/${image}/manifests/${reference}`, {
      headers: { accept },
    });
    return (await response.json()) as Manifest;
  };
  const { manifests = [] } = await read(digest);
  const attestations = manifests.filter(
    ({ annotations }) => annotations?.["vnd.docker.reference.type"] === "attestation-manifest",
  );
  const layers = (await Promise.all(attestations.map((one) => read(one.digest)))).flatMap((one) => one.layers ?? []);
  return layers.filter(({ mediaType }) => mediaType === statementType).length;
}
