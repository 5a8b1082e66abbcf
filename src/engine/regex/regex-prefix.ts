// The literal start of a regular expression, which an index can be searched by.

/**
 * The literal text every match of the pattern must start with, for an index range; empty when there is none.
 * Only case-sensitive patterns anchored at the start of the string have one.
 */
export function regexPrefix(pattern: string, options: string): string {
  if (/[imx]/.test(options)) return '';
  const start = /^(?:\^|\\A)/.exec(pattern);
  if (!start || pattern.includes('|')) return '';
  let prefix = '';
  let rest = pattern.slice(start[0].length);
  for (;;) {
    const match = /^(?:([A-Za-z0-9 _\-/:;,@#%&=!<>"'~`]|[\u0080-\u{10ffff}])|\\([^A-Za-z0-9\s]))/u.exec(rest);
    if (!match) return prefix;
    rest = rest.slice(match[0].length);
    // A quantifier that allows zero removes the character before it from the prefix; "+" ends the prefix.
    if (/^[?*{]/.test(rest)) return prefix;
    prefix += match[1] ?? match[2] ?? '';
    if (rest.startsWith('+')) return prefix;
  }
}
