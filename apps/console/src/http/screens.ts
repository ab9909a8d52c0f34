import type { Screen } from "./screen.ts";
import { accounts } from "./screens/accounts.ts";
import { approvals } from "./screens/approvals.ts";
import { audits } from "./screens/audits.ts";
import { brands } from "./screens/brands.ts";
import { campaigns } from "./screens/campaigns.ts";
import { captured } from "./screens/captured.ts";
import { clients } from "./screens/clients.ts";
import { contacts } from "./screens/contacts.ts";
import { credentials } from "./screens/credentials.ts";
import { deliveries } from "./screens/deliveries.ts";
import { endpoints } from "./screens/endpoints.ts";
import { erasures } from "./screens/erasures.ts";
import { events } from "./screens/events.ts";
import { files } from "./screens/files.ts";
import { imagePresets } from "./screens/image-presets.ts";
import { machineTokens } from "./screens/machine-tokens.ts";
import { members } from "./screens/members.ts";
import { migrations } from "./screens/migrations.ts";
import { operators } from "./screens/operators.ts";
import { overview } from "./screens/overview.ts";
import { profiles } from "./screens/profiles.ts";
import { projectSwitch } from "./screens/project-switch.ts";
import { requests } from "./screens/requests.ts";
import { schedules } from "./screens/schedules.ts";
import { search } from "./screens/search.ts";
import { sessionsOfMembers, sessionsOfOperators } from "./screens/sessions.ts";
import { suppressions } from "./screens/suppressions.ts";
import { templates } from "./screens/templates.ts";

/**
 * Every screen. To add one, add a file below screens/ and a line here. Its position in the sidebar is defined in
 * pages/navigation.ts.
 */
export const screens: readonly Screen[] = [
  overview,
  clients,
  credentials,
  requests,
  contacts,
  deliveries,
  // Must come before endpoints, whose pages at /endpoints/:id would match its path.
  suppressions,
  endpoints,
  captured,
  profiles,
  templates,
  events,
  schedules,
  audits,
  // Must come before files, whose pages at /files/:id would match its path.
  imagePresets,
  files,
  members,
  migrations,
  brands,
  accounts,
  erasures,
  machineTokens,
  campaigns,
  operators,
  sessionsOfOperators,
  sessionsOfMembers,
  approvals,
  search,
  projectSwitch,
];
