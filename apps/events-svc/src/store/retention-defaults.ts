/** How long runs, events and audits are kept, in days, unless a client's setting says otherwise. Audits are kept for good by default. */
export const retentionDefaults = { scheduled_runs: 90, domain_events: 365, audits: null } as const;
