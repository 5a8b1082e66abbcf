// Which language of texts a locale gets.

/** Texts by language. */
export type Languages<T> = Readonly<Record<string, T>> & { readonly en: T };

/** The texts of a locale, by its language; English where there are none. */
export const inLanguageOf = <T>(locale: string, languages: Languages<T>): T =>
  languages[locale.split('-')[0]?.toLowerCase() ?? ''] ?? languages.en;
