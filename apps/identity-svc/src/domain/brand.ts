/** Appearance of a project's hosted pages and emails. Null if the project has no brand of its own. */
export type Brand = {
  /** Display name of the project. */
  readonly name: string;
  /** URL of a Public Asset on the platform's own host, so that pages load nothing from elsewhere. */
  readonly logo_url: string | null;
  /** Background of buttons, as #rrggbb. */
  readonly colour: string | null;
  readonly terms_url: string | null;
  readonly privacy_url: string | null;
};

/**
 * The brand that a page shows: the project's or the platform's. The platform's name is null if each language has its
 * own name for it.
 */
export type ShownBrand = Omit<Brand, "name"> & { readonly name: string | null };

export const brandNameLengthMax = 60;
const urlLengthMax = 2048;
/** Minimum contrast between text and background (WCAG 2.2, 1.4.3). Buttons have white text in every brand. */
const contrastMin = 4.5;

/** The reason to reject a link to terms or a privacy policy, or null. */
export function brandLinkProblem(text: string): string | null {
  if (text.length > urlLengthMax) return `is longer than ${urlLengthMax} characters`;
  if (!URL.canParse(text)) return "is not an absolute URL";
  const url = new URL(text);
  if (url.protocol !== "https:") return "must be https";
  if (url.username !== "" || url.password !== "") return "must not carry userinfo";
  return url.href === text ? null : `must be written as ${url.href}`;
}

/**
 * The reason to reject a logo, or null. Only Public Assets are accepted: they are re-encoded images without metadata or script, and pages that load
 * them reveal to no other host who is signing in.
 */
export function brandLogoProblem(text: string, publicBaseUrl: string): string | null {
  const base = `${publicBaseUrl}/api/v1/public-assets/`;
  if (text.length > urlLengthMax) return `is longer than ${urlLengthMax} characters`;
  if (!text.startsWith(base) || !URL.canParse(text) || new URL(text).href !== text || /[?#]/.test(text)) {
    return `must be the url of a Public Asset, which begins with ${base}; publish the image and use that url`;
  }
  return null;
}

/** The reason to reject a colour, or null. */
export function brandColourProblem(text: string): string | null {
  if (!/^#[0-9a-f]{6}$/.test(text)) return "must be #rrggbb in lower case, such as #1d4ed8";
  const contrast = contrastWithWhite(text);
  if (contrast >= contrastMin) return null;
  return `has a contrast of ${contrast.toFixed(1)} with white text, which needs ${contrastMin}; choose a darker colour`;
}

/** Contrast ratio of a colour with white, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
