import { collectionOf, deleteInBatches } from "@platform/kit/store/documents";
import { storedEmailForms } from "@platform/kit/web/mail";
import type { EventsModels } from "./models.ts";
import { forgetChain, type ReleaseUnits } from "./prune-project-audits.ts";

const batchSize = 500;

/** The person to erase, by the names that clients use for the person. */
type Person = {
  readonly accountId: string | null;
  readonly emails: readonly string[];
  readonly legacySubjects: readonly { readonly clientId: string; readonly subject: string }[];
};

/**
 * Matches an address as projects may write it in a reference: the address alone or after a prefix
 * (`user:ann@people.example`), in upper or lower case.
 */
function addressReference(email: string): RegExp {
  const spellings = storedEmailForms(email).map((form) => form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  // The prefix must end with a colon, because any other character could be part of another person's address.
  return new RegExp(`^(?:[^@]*:)?(?:${spellings.join("|")})$`, "i");
}

/**
 * Erases the data of people and Project Clients in events-svc. Chains stay valid and idempotency keys stay used. It
 * can be repeated.
 */
export function createEventsEraser(models: EventsModels, release: ReleaseUnits) {
  const { audits, heads } = models.audit;

  /** Erases one of the two fields in those records of a client in which it names the person. */
  const eraseField = async (
    clientId: string,
    field: "actor" | "resource",
    names: readonly (string | RegExp)[],
    signal: AbortSignal,
  ): Promise<number> => {
    const path = `${field}_id` as const;
    let erased = 0;
    while (!signal.aborted) {
      const found = await collectionOf(audits)
        .find({ project_client_id: clientId, [path]: { $in: [...names] } }, { projection: { _id: 1, commitments: 1 } })
        .limit(batchSize)
        .toArray();
      if (found.length === 0) break;
      const [withSalt, without] = [
        found.filter(({ commitments }) => commitments !== undefined),
        found.filter(({ commitments }) => commitments === undefined),
      ];
      const write = (documents: typeof found, set: Record<string, unknown>) =>
        collectionOf(audits).updateMany(
          { _id: { $in: documents.map(({ _id }) => _id) } },
          {
            // The fingerprint is a hash of the request whose only unknown part is the name, so it could reveal the
            // name. The idempotency key stays used.
            $set: { [path]: "", erased: true, idempotency_fingerprint: "erased", ...set },
          },
        );
      if (withSalt.length > 0) await write(withSalt, { [`commitments.${field}_salt`]: null });
      if (without.length > 0) await write(without, {});
      erased += found.length;
    }
    return erased;
  };

  return {
    /** Erases a person's names from the audits of every client. */
    erasePerson: async ({ accountId, emails, legacySubjects }: Person, signal: AbortSignal): Promise<number> => {
      const everywhere = [...(accountId === null ? [] : [accountId]), ...emails.map(addressReference)];
      let erased = 0;
      for (let afterId = ""; !signal.aborted; ) {
        const clients = await heads
          .find({ _id: { $gt: afterId } }, { _id: 1 })
          .sort({ _id: 1 })
          .limit(batchSize)
          .lean<{ _id: string }[]>();
        for (const { _id: clientId } of clients) {
          const subjects = legacySubjects.filter((each) => each.clientId === clientId).map(({ subject }) => subject);
          const names = [...everywhere, ...subjects];
          if (names.length === 0) continue;
          for (const field of ["actor", "resource"] as const) {
            erased += await eraseField(clientId, field, names, signal);
          }
        }
        const last = clients.at(-1);
        if (last === undefined || clients.length < batchSize) break;
        afterId = last._id;
      }
      return erased;
    },
    eraseClient: async (clientId: string, signal: AbortSignal): Promise<number> => {
      const own = { project_client_id: clientId };
      const { runs, operations } = models.schedule;
      const settings = ["RetentionSetting", "ConsumerPosition"].map((name) => runs.db.model(name));
      const kept = [runs, operations, models.subscriptions, models.event.events, ...settings];
      let erased = await models.usage.forget(clientId);
      for (const model of kept) erased += await deleteInBatches(model, own, signal);
      erased += await deleteInBatches(runs.db.model("EventConsumer"), { bound_to: clientId }, signal);
      return erased + (await forgetChain(models.audit, clientId, release, signal));
    },
  };
}
