import { randomUUID } from "node:crypto";
import type { StoredDocument } from "@platform/test-kit/documents";
import { markupOf, withDatabase } from "./console-project.ts";

/**
 * Stores an act that waits for approval directly in the database, because the platform under test runs without
 * SECOND_PERSON.
 */
export async function storeApproval(clientId: string): Promise<void> {
  await withDatabase("identity", (database) =>
    database.collection<StoredDocument>("approvals").insertOne({
      _id: randomUUID(),
      rpc: "projectintegration.identity.v1.ProjectClientAdminService/DisableProjectClient",
      act: "clients disable",
      request: "",
      request_json: "{}",
      project_client_id: clientId,
      asked_by: "marked",
      asked_by_name: markupOf("asker"),
      asked_as_root: false,
      reason: markupOf("approval-reason"),
      asked_at: new Date(),
      expires_at: new Date(Date.now() + 3_600_000),
      status: "pending",
      decided_by: null,
      decided_at: null,
    }),
  );
}
