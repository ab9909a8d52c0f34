/**
 * Names that make a document unsafe if any of its objects contains them: actions that start programs or run scripts
 * (ISO 32000-2, 12.6.4), scripts of rich media and 3D, and forms that contain scripts. `JS` is not among them, because
 * an action that runs it also contains JavaScript or Rendition, and two letters occur in compressed data by chance.
 */
const unsafeNames = ["JavaScript", "Launch", "Rendition", "XFA", "RichMedia", "OnInstantiate"] as const;

export function holdsUnsafeName(names: ReadonlySet<string>): boolean {
  return unsafeNames.some((name) => names.has(name));
}

/** Returns whether this text, in Latin-1, could contain such a name, whatever surrounds it. */
export function mayHoldUnsafeName(text: string): boolean {
  return anywhere.test(text);
}

const anywhere = namePattern(unsafeNames);

/** Creates a pattern for names of PDF in which any character may be written as #xx. */
function namePattern(names: readonly string[]): RegExp {
  const escapable = (character: string): string => {
    const code = character.charCodeAt(0).toString(16);
    const [high = "", low = ""] = code;
    const digit = (one: string): string => (/[a-f]/.test(one) ? `[${one}${one.toUpperCase()}]` : one);
    return `(?:${character}|#${digit(high)}${digit(low)})`;
  };
  const alternatives = names.map((name) => [...name].map(escapable).join(""));
  return new RegExp(`/(?:${alternatives.join("|")})(?=[\\s\\0()<>[\\]{}/%]|$)`);
}
