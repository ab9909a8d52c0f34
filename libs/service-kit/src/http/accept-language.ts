/**
 * The language for an Accept-Language header (RFC 9110 §12.5.4): of those offered the one that is preferred, else the first offered.
 * @param offered primary subtags, such as `en`
 */
export function acceptedLanguage<const L extends string>(header: string | undefined, offered: readonly [L, ...L[]]): L {
  const ranges = (header ?? "").slice(0, 200).split(",");
  const wanted = ranges.map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return { language: tag.split("-", 1)[0], quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
  wanted.sort((one, other) => other.quality - one.quality);
  for (const { language, quality } of wanted) {
    const found = offered.find((each) => each === language);
    if (found !== undefined && quality > 0) return found;
  }
  return offered[0];
}
