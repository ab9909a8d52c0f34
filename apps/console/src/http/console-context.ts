import type { Logger } from "@platform/kit/process/telemetry";
import type { HtmlValue } from "@platform/kit/web/http";
import type { Backend } from "../calls/backend.ts";
import type { Clients } from "../calls/clients.ts";
import type { HealthHistory } from "../calls/health-history.ts";
import type { ConsoleConfig } from "../config.ts";
import type { Alertmanager } from "../monitoring/alertmanager.ts";
import type { Prometheus } from "../monitoring/prometheus.ts";
import type { SessionStore } from "../redis/sessions.ts";
import type { IdentityProviders } from "../sign-in/identity-providers.ts";
import type { PendingSignIns } from "../sign-in/pending-sign-in.ts";
import type { CatalogFiles } from "./catalog-files.ts";
import type { ConsoleCookies } from "./cookies.ts";
import type { NetworkLimit } from "./network-limit.ts";
import type { PersonLimits } from "./person-limits.ts";
import type { RenderCache } from "./render-cache.ts";
import type { Tails } from "./tails.ts";

/** Dependencies of the console's pages. */
export type ConsoleContext = {
  readonly config: ConsoleConfig;
  readonly logger: Logger;
  readonly backend: Backend;
  readonly clients: Clients;
  readonly sessions: SessionStore;
  readonly health: HealthHistory;
  /** Client of Alertmanager; null if none is configured. */
  readonly alertmanager: Alertmanager | null;
  readonly prometheus: Prometheus | null;
  readonly providers: IdentityProviders;
  readonly pendingSignIns: PendingSignIns;
  readonly cookies: ConsoleCookies;
  readonly networkLimit: NetworkLimit;
  readonly personLimits: PersonLimits;
  readonly tails: Tails;
  readonly catalogFiles: CatalogFiles;
  /**
   * Cached overview pages by the roles that see them. Collecting the data of a page and drawing its plots keeps a
   * processor core busy for a while.
   */
  readonly overviews: RenderCache<HtmlValue>;
  /** Aborts when the process starts to stop, which ends responses that would otherwise never end. */
  readonly closing: AbortSignal;
};
