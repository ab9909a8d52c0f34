/**
 * Languages of the hosted pages and of emails to people, as BCP 47 tags. A check compares them with the files of
 * identity-svc.
 */
export const pageLanguages = ["en", "ja", "de", "fr", "es", "pt-BR", "ko", "zh-Hans", "zh-Hant", "ar"] as const;
