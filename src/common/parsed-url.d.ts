/**
 * The URL of a text (URL Standard); undefined for a text that is none. In place of `URL.canParse`, which Node 20 answers by false for texts such
 * as `https://münchen.example` once the call is compiled.
 */
export declare function parsedUrl(text: string, base?: string): URL | undefined;
