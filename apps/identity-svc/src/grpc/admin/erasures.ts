import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import {
  callerGuard,
  type Implementation,
  implement,
  implementForOperators,
  type ServedService,
  type ServiceName,
} from "@platform/kit/rpc/server";
import { normalizeEmail } from "@platform/kit/web/mail";
import { invalidRequest } from "@platform/operator-plane/operators";
import { ErasureService } from "@platform/proto/identity/v1/erasure";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import type { IdentityContext } from "../../identity-context.ts";
import { beginPersonErasure } from "../../operations/erase-person.ts";
import { type Erasure, erasingServices, erasureStatuses, statusOf } from "../../store/erasures.ts";
import { otherServices } from "../other-services.ts";
import { accountNotFound, projectClientNotFound } from "./refuse.ts";

type AdminRpcs = Implementation<typeof ErasureAdminService>;
type Rpcs = Implementation<typeof ErasureService>;

const fromServices = callerGuard(...otherServices);

/** RPCs by which operators erase people and Project Clients, and by which services follow erasures. */
export function erasureServices(context: IdentityContext): ServedService[] {
  const { erasures, keyring, clock } = context;
  const admin: AdminRpcs = {
    erasePerson: async ({ accountId, email }) => {
      if ((accountId === "") === (email === "")) throw invalidRequest("/account_id", "or email is required, not both");
      const account =
        accountId === ""
          ? ((await context.accounts.findByEmail(normalizeEmail(email)))?.account ?? null)
          : await context.accounts.find(accountId);
      if (accountId !== "" && account === null) throw accountNotFound();
      return { erasureId: await beginPersonErasure(context, account, email) };
    },
    eraseProjectClient: async ({ projectClientId }) => {
      const client = await context.clients.setDisabled(projectClientId, clock());
      if (client === null) throw projectClientNotFound();
      await context.announceChange({ kind: "client", id: client.id });
      const erasureId = newId();
      const subject = { clientId: client.id, accountId: null, emails: [], legacySubjects: [] };
      await erasures.insert(erasureId, subject, keyring, clock());
      return { erasureId };
    },
    showErasure: async ({ erasureId }) => {
      const erasure = await erasures.find(erasureId);
      if (erasure === null) throw erasureNotFound();
      return toMessage(erasure);
    },
    listErasures: async ({ status: name, limit, cursor }) => {
      const status = erasureStatuses.find((each) => each === name) ?? null;
      if (name !== "" && status === null) throw invalidRequest("/status", `must be ${erasureStatuses.join(", ")}`);
      const { items, nextCursor } = await erasures.list(status, { limit, cursor });
      return { erasures: items.map(toMessage), nextCursor };
    },
    retryErasure: async ({ erasureId }) => {
      if ((await erasures.find(erasureId)) === null) throw erasureNotFound();
      if (!(await erasures.retry(erasureId))) {
        throw new ServiceError("erasure_not_failed", "No part of this erasure was given up.");
      }
      return {};
    },
  };
  const internal: Rpcs = {
    listOpenErasures: async ({ service }) => ({
      erasures: (await erasures.listOpen(requireService(service), keyring, clock())).map(({ id, subject }) => ({
        id,
        projectClientId: subject.clientId ?? "",
        accountId: subject.accountId ?? "",
        emails: [...subject.emails],
        legacySubjects: subject.legacySubjects.map(({ clientId, subject: name }) => ({
          projectClientId: clientId,
          subject: name,
        })),
      })),
    }),
    reportErasure: async ({ erasureId, service, erased }) => {
      await erasures.finishStep(erasureId, requireService(service), erased, clock());
      return {};
    },
    reportErasureFailure: async ({ erasureId, service, reason }) => {
      await erasures.failStep(erasureId, requireService(service), reason, clock());
      return {};
    },
  };
  return [implementForOperators(ErasureAdminService, admin), implement(ErasureService, internal, fromServices)];
}

const erasureNotFound = () => new ServiceError("erasure_not_found", "There is no such erasure.");

function toMessage(erasure: Erasure) {
  return {
    erasureId: erasure.id,
    kind: erasure.kind,
    status: statusOf(erasure),
    steps: erasure.steps.map(({ service, status, erased, done_at, failures = 0, error }) => ({
      service,
      status,
      erased,
      failures,
      ...defined({ error }),
      ...optionalTimestamp("doneAt", done_at),
    })),
    createdAt: timestampFromDate(erasure.createdAt),
    ...optionalTimestamp("finishedAt", erasure.finishedAt),
  };
}

function requireService(name: string): ServiceName {
  const service = erasingServices.find((each) => each === name);
  if (service === undefined) throw invalidRequest("/service", `must be ${erasingServices.join(", ")}`);
  return service;
}
