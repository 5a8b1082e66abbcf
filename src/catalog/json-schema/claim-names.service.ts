// Names that cannot be claims of the form for wallets, because SD-JWT VC or RFC 9901 give them another meaning.

/** At the top (draft-ietf-oauth-sd-jwt-vc-26 §2.2). */
const OF_FORMAT: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'nbf', 'exp', 'iat', 'jti', 'cnf', 'vct', 'vct#integrity', 'status', '_sd_alg'],
]);
/**
 * At any depth: RFC 9901 (§4.1), and the members that all objects inherit, such as `constructor`. Libraries of wallets look
 * claims up in plain objects, and find those.
 */
const AT_ANY_DEPTH: ReadonlySet<string> = new Set(['_sd', '...', '', ...Object.getOwnPropertyNames(Object.prototype)]);

/** The first name, with dots where it is nested, that has another meaning; undefined: all can be claims. */
export function reservedName(names: readonly string[]): string | undefined {
  return names.find((name) => {
    const [first = '', ...rest] = name.split('.');
    return OF_FORMAT.has(first) || [first, ...rest].some((segment) => AT_ANY_DEPTH.has(segment));
  });
}
