import type { SenderProfile } from "./sender-profile.ts";
import { localeCandidates, type Template, templateId } from "./template.ts";

/** An entry of the catalog that a project has validated. */
export type ValidatedEntry = {
  readonly eventKey: string;
  readonly templateKey: string;
  readonly channel: string;
  readonly purpose: string;
  readonly locale: string;
  /** The name of a sender profile. */
  readonly senderProfile: string;
};

/**
 * A problem that would prevent a message from being sent. Problems of the kind `refused` concern a template; all
 * others concern an entry.
 */
export type CatalogProblem = {
  readonly kind: "refused" | "template" | "locale" | "sender" | "purpose";
  /** The template, or the entry: `event_key channel locale`. */
  readonly name: string;
  readonly message: string;
};

/** The state of the platform with which the entries are compared. */
export type AppliedCatalog = {
  readonly templates: readonly Template[];
  readonly profiles: readonly SenderProfile[];
  /** Returns whether any endpoint of a channel has consented to a purpose. */
  readonly isConsented: (channel: string, purpose: string) => boolean;
};

/**
 * Finds the problems of the entries that a project has validated. It checks the template, language, sender and
 * purpose of each entry.
 */
export function catalogProblems(entries: readonly ValidatedEntry[], applied: AppliedCatalog): CatalogProblem[] {
  const ids = new Set(applied.templates.map(({ key, channel, locale }) => templateId(key, channel, locale)));
  const locales = new Map<string, string[]>();
  for (const { key, channel, locale } of applied.templates) {
    const name = `${channel} ${key}`;
    locales.set(name, [...(locales.get(name) ?? []), locale]);
  }
  return entries.flatMap((entry) => {
    const { eventKey, templateKey, channel, purpose, locale, senderProfile } = entry;
    const name = `${eventKey} ${channel} ${locale}`;
    const problems: CatalogProblem[] = [];
    const add = (kind: CatalogProblem["kind"], message: string): void => void problems.push({ kind, name, message });
    const sender = applied.profiles.find((each) => each.name === senderProfile && each.channel === channel);
    const known = locales.get(`${channel} ${templateKey}`);
    const fitting = localeCandidates(locale, sender?.defaultLocale ?? null);
    if (known === undefined) add("template", `there is no template ${templateKey} for ${channel}`);
    else if (!fitting.some((each) => ids.has(templateId(templateKey, channel as Template["channel"], each))))
      add("locale", `the template ${templateKey} has no text for ${locale}, but for ${known.sort().join(", ")}`);
    if (sender === undefined) add("sender", `there is no sender profile ${senderProfile} for ${channel}`);
    else if (sender.status === "disabled") add("sender", `the sender profile ${senderProfile} is disabled`);
    // Emails need no consent.
    if (channel !== "email" && !applied.isConsented(channel, purpose))
      add("purpose", `no recent endpoint of ${channel} has consented to ${purpose}, so its messages are refused`);
    return problems;
  });
}
