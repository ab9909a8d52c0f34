/**
 * How the site's search ranks its results: a word in a heading counts more than one in the text, and a word has at most one typing error
 * in ten letters. The site's policy allows no code in these options, which VitePress would evaluate in the browser.
 */
export const searchOptions = {
  fuzzy: 0.1,
  prefix: true,
  boost: { title: 6, titles: 3, text: 1 },
} as const;
