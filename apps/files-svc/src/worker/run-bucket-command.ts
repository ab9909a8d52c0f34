import type { BucketOwnership, StopReason } from "../store/bucket-ownership.ts";
import type { OrphanCandidates } from "../store/orphan-candidates.ts";

const usage =
  "usage: src/bucket.ts status | adopt | accept COUNT\n" +
  "  status   says whether the bucket is this database's, and how many objects no record needs\n" +
  "  adopt    makes the bucket this database's, after a deliberate restore or rename; every orphan waits anew\n" +
  "  accept   lets the next sweeps remove up to COUNT objects that no record needs";

const meanings: Readonly<Record<StopReason, string>> = {
  unmarked_bucket: "the bucket has no marker, and most of its objects have no record in this database",
  other_database: "the bucket's marker names another database",
  database_older: "the bucket's marker is newer than this database, which was restored to an earlier time",
  too_many_orphans: "more than 1 % of the objects, and more than 1,000, have no record that needs them",
};

/** Runs one command of an operator. If it cannot be executed, the error explains what to do. */
export async function runBucketCommand(
  { ownership, candidates }: { readonly ownership: BucketOwnership; readonly candidates: OrphanCandidates },
  [command, argument, ...rest]: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  if (rest.length > 0 || (argument !== undefined) !== (command === "accept")) throw new Error(usage);
  switch (command) {
    case "status": {
      const problem = await ownership.verify();
      const { stopped, orphans, accepted } = await ownership.state();
      const reason = problem ?? stopped;
      say(reason === null ? "the bucket is this database's" : `nothing is removed: ${meanings[reason]}`);
      say(`${orphans} objects that no record needs; ${accepted} accepted`);
      return;
    }
    case "adopt":
      await candidates.forgetAll();
      await ownership.adopt();
      return say("the bucket is this database's now; objects that no record needs wait for ORPHAN_GRACE_DAYS anew");
    case "accept": {
      const count = Number(argument);
      if (!Number.isSafeInteger(count) || count < 0) throw new Error("accept COUNT: must be a whole number from 0");
      const problem = await ownership.verify();
      if (problem !== null) throw new Error(`${meanings[problem]}; adopt it first if it is this database's`);
      await ownership.accept(count);
      return say(`the next sweeps remove up to ${count} objects that no record needs, once they have waited`);
    }
    default:
      throw new Error(usage);
  }
}
