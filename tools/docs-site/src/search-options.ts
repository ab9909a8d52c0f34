/**
 * How the site's search ranks its results: a word in a heading counts more than one in the text, and one typing error
 * per ten letters is tolerated. The site's policy permits no code in these options, which VitePress would evaluate in
 * the browser.
 */
export const searchOptions = {
  fuzzy: 0.1,
  prefix: true,
  boost: { title: 6, titles: 3, text: 1 },
} as const;
