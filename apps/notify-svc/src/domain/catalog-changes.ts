import { type Template, templateDigest, templateId, templateName } from "./template.ts";

/** Difference between two catalogs, by the names of the templates. */
export type CatalogChanges = {
  readonly added: string[];
  readonly changed: string[];
  readonly removed: string[];
  readonly unchanged: number;
};

/** Compares two catalogs, template by template. */
export function catalogChanges(before: readonly Template[], after: readonly Template[]): CatalogChanges {
  const idOf = ({ key, channel, locale }: Template): string => templateId(key, channel, locale);
  const earlier = new Map(before.map((each) => [idOf(each), each]));
  const now = new Map(after.map((each) => [idOf(each), each]));
  const added = [...now].filter(([id]) => !earlier.has(id));
  const kept = [...now].filter(([id]) => earlier.has(id));
  const isSame = ([id, template]: [string, Template]): boolean => {
    const other = earlier.get(id);
    return other !== undefined && templateDigest(other) === templateDigest(template);
  };
  return {
    added: added.map(([, template]) => templateName(template)),
    changed: kept.filter((pair) => !isSame(pair)).map(([, template]) => templateName(template)),
    removed: [...earlier].filter(([id]) => !now.has(id)).map(([, template]) => templateName(template)),
    unchanged: kept.filter(isSame).length,
  };
}

export const isUnchanged = ({ added, changed, removed }: CatalogChanges): boolean =>
  added.length + changed.length + removed.length === 0;
