import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpenCtl } from "@platform/stack/open-ctl";
import type { Seed, SeedClient } from "./seed-file.ts";

/** A client of the seed and its secrets. The platform shows secrets only once, so they are stored in the folder of its state. */
export type SeededClient = {
  readonly name: string;
  readonly id: string;
  readonly credentials: readonly { readonly name: string; readonly id: string; readonly credential: string }[];
  readonly sender_profiles: readonly { readonly name: string; readonly id: string }[];
};

/**
 * Creates the resources of the seed that do not exist yet, and applies each catalog. Applying it again changes nothing,
 * so it can be repeated at each start.
 * @param keptIn file in which the created resources are recorded, readable only by its owner
 */
export async function applySeed(ctl: OpenCtl, seed: Seed, keptIn: string): Promise<SeededClient[]> {
  const kept = readKept(keptIn);
  for (const wanted of seed.clients) {
    const known = kept.get(wanted.name);
    // The file is written after each step, so that an issued secret is not lost if the next step is rejected.
    const keep = (client: SeededClient): SeededClient => {
      kept.set(client.name, client);
      writeFileSync(keptIn, JSON.stringify([...kept.values()]), { mode: 0o600 });
      return client;
    };
    const client = known ?? keep(await createClient(ctl, wanted));
    await applyTo(ctl, wanted, client, keep);
  }
  return seed.clients.flatMap(({ name }) => kept.get(name) ?? []);
}

function readKept(path: string): Map<string, SeededClient> {
  if (!existsSync(path)) return new Map();
  const clients = JSON.parse(readFileSync(path, "utf8")) as SeededClient[];
  return new Map(clients.map((client) => [client.name, client]));
}

async function createClient(ctl: OpenCtl, { name, environment }: SeedClient): Promise<SeededClient> {
  const { id } = (await ctl.run(["clients", "create", `--name=${name}`, `--environment=${environment}`])) as {
    id: string;
  };
  return { name, id, credentials: [], sender_profiles: [] };
}

async function applyTo(
  ctl: OpenCtl,
  wanted: SeedClient,
  known: SeededClient,
  keep: (client: SeededClient) => SeededClient,
): Promise<void> {
  let client = known;
  const of = `--client=${client.id}`;
  const uris =
    wanted.return_uris.length === 0 ? ["--no-return-uris"] : wanted.return_uris.map((uri) => `--return-uri=${uri}`);
  await ctl.run(["clients", "update", of, ...uris, `--platform-events=${wanted.platform_events}`]);
  for (const { name, scopes } of wanted.credentials) {
    if (client.credentials.some((credential) => credential.name === name)) continue;
    const issued = await ctl.run(["credentials", "issue", of, `--name=${name}`, `--scopes=${scopes.join(",")}`]);
    const { id, credential } = issued as { id: string; credential: string };
    client = keep({ ...client, credentials: [...client.credentials, { name, id, credential }] });
  }
  for (const { name, channel, config } of wanted.sender_profiles) {
    if (client.sender_profiles.some((profile) => profile.name === name)) continue;
    const given = [`--name=${name}`, `--channel=${channel}`, `--config=${JSON.stringify(config)}`];
    const { id } = (await ctl.run(["sender-profiles", "create", of, ...given])) as { id: string };
    client = keep({ ...client, sender_profiles: [...client.sender_profiles, { name, id }] });
  }
  if (wanted.catalog !== undefined) await applyCatalog(ctl, of, wanted.catalog);
}

async function applyCatalog(ctl: OpenCtl, of: string, catalog: object): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "seed-"));
  try {
    const file = join(folder, "catalog.json");
    writeFileSync(file, JSON.stringify(catalog));
    await ctl.run(["catalog", "apply", of, `--file=${file}`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
