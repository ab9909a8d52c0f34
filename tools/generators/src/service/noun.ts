/** The forms of the noun of a service's first resource, for code and for sentences. */
export type Noun = { readonly one: string; readonly many: string; readonly withArticle: string };

/**
 * Returns the forms of the noun of a new service's first resource.
 * @param name the service's name, which is the plural by default: the service `payments` begins with a payment
 * @param given the noun in the singular, and its plural where that is not the singular with an s; undefined for the default
 * @throws when the templates cannot use the noun
 */
export function nounOf(name: string, given: { readonly noun?: string; readonly plural?: string }): Noun {
  const one = given.noun ?? (name.endsWith("s") ? name.slice(0, -1) : name);
  const many = given.plural ?? `${one}s`;
  if (one === many) throw new Error(`--plural must differ from the noun ${one}, because code names both`);
  for (const word of [one, many]) {
    if (!unusable.has(word)) continue;
    throw new Error(`${word} is a word of the language or of the generated code; give another one as --noun`);
  }
  return { one, many, withArticle: `${"aeiou".includes(one.charAt(0)) ? "an" : "a"} ${one}` };
}

/** Words that cannot be nouns: words that TypeScript reserves, and names of types and variables in the templates. */
const unusable: ReadonlySet<string> = new Set(
  [
    "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import",
    "in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with",
    "yield arguments eval undefined any boolean never number object string symbol unknown",
    "call clock connection date document id map message model part promise record row schema server service stores title",
  ].flatMap((words) => words.split(" ")),
);

/** Returns the word with a capital first letter. */
export function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
