import { deleteInBatches } from "@platform/kit/store/documents";
import type { DownloadGrantModel } from "./download-grants.ts";

/** Removes a client's download links and retention settings. @returns how many records */
export function createLinkEraser({ downloadGrants }: { readonly downloadGrants: DownloadGrantModel }) {
  return async (clientId: string, signal: AbortSignal): Promise<number> => {
    const own = { project_client_id: clientId };
    const settings = downloadGrants.db.model("RetentionSetting");
    return (await deleteInBatches(downloadGrants, own, signal)) + (await deleteInBatches(settings, own, signal));
  };
}
