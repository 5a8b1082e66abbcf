// What is sent to save a record: everything that was read, with what was typed over it. A form may not know all members of a record,
// and what it does not know must stay.

/** The kinds of records that have a form. */
export type FormKind = 'issuers' | 'verifiers' | 'schemas' | 'credentials' | 'programs' | 'partners';

export type EntryValues = Readonly<Record<string, unknown>>;

/** Members that an issuer does not have if the gateway holds its keys. */
export const UNMANAGED: readonly string[] = ['issuerDid', 'zkKeys', 'anchors', 'walletIssuer', 'credentialUrl'];

/** Members of records that the gateway computes, and refuses in what is sent. */
export const COMPUTED: Readonly<Record<FormKind, readonly string[]>> = {
  issuers: ['issuerId', 'credentialCount', 'traction', 'createdAt', 'updatedAt', 'etag'],
  verifiers: ['verifierId', 'programCount', 'createdAt', 'updatedAt', 'etag'],
  schemas: ['schemaId', 'version', 'credentialCount', 'issuerCount', 'createdAt', 'updatedAt', 'etag'],
  credentials: ['credentialId', 'schemaVersion', 'traction', 'firstIssuedAt', 'lastIssuedAt', 'updatedAt', 'etag'],
  programs: ['programId', 'traction', 'provable', 'unprovable', 'askable', 'unaskable', 'updatedAt', 'etag'],
  partners: ['partnerId', 'keySetProblem', 'createdAt', 'updatedAt', 'etag'],
};

/** Members that a record must not have, because of another member. */
const EXCLUDED: Partial<Record<FormKind, (entry: EntryValues) => readonly string[]>> = {
  issuers: ({ managed }) => (managed === true ? UNMANAGED : []),
  schemas: ({ jsonSchema }) => (jsonSchema ? ['title', 'description', 'dataPoints'] : ['jsonSchema']),
};

/** In GraphQL, choices are in capitals, and a policy has no nulls. */
const CONVERTED: Partial<Record<FormKind, (body: EntryValues) => EntryValues>> = {
  issuers({ wallets, ...body }) {
    if (!wallets) return body;
    const { profile, ...others } = wallets as { profile?: string };
    return { ...body, wallets: { ...others, profile: profile?.toUpperCase() } };
  },
  partners({ scopes, gasPolicy, ...body }) {
    const policy = gasPolicy ? { gasPolicy: withoutNulls(gasPolicy) } : {};
    return { ...body, scopes: (scopes as string[]).map((scope) => scope.toUpperCase()), ...policy };
  },
};

/** A member that is null is the same as one that is left out. */
const withoutNulls = (values: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

/** The content of a record for the mutation that writes it. */
export function bodyOf(kind: FormKind, entry: EntryValues): Record<string, unknown> {
  const left = new Set([...COMPUTED[kind], ...(EXCLUDED[kind]?.(entry) ?? [])]);
  const body = Object.fromEntries(Object.entries(entry).filter(([name]) => !left.has(name)));
  return withoutNulls(CONVERTED[kind]?.(body) ?? body);
}
