// How a text becomes a URL.

/**
 * The URL of a text (URL Standard); undefined for a text that is none. In place of `URL.canParse`, which Node 20 answers by false for hosts in Latin-1,
 * such as `https://münchen.example`, once the call is compiled.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
