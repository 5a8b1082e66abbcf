// A catalog of any size for measurements: always the same for the same size, its proportions those of the sample catalog.

/** One line of `POST /v1/admin/import`. */
type Line = Record<string, unknown>;

export const CATEGORIES = ['Education', 'Employment', 'Finance', 'Health', 'Identity', 'Membership', 'Travel'];
export const WORDS = [
  'Alder',
  'Birch',
  'Cedar',
  'Elm',
  'Hazel',
  'Larch',
  'Maple',
  'Oak',
  'Pine',
  'Rowan',
  'Willow',
  'Yew',
];

/** Spreads numbers evenly without repeating soon; a counter in disguise, so that every run measures the same catalog. */
const spread = (at: number, below: number): number => (at * 7_919) % below;

const word = (at: number): string => WORDS[at % WORDS.length] ?? '';
const counts = (at: number) => ({
  holderCount: spread(at, 50_021),
  issuanceCount: spread(at, 50_021) + spread(at, 997),
  verificationCount: spread(at, 20_011),
});

function* issuers(total: number): Generator<Line> {
  for (let at = 0; at < total; at += 1) {
    yield {
      kind: 'issuers',
      id: `issuer-${at}`,
      name: `${word(at)} Institute ${at}`,
      issuerDid: `did:example:issuer-${at}`,
      issuerFrom: 'bench',
    };
  }
}

function* verifiers(total: number): Generator<Line> {
  for (let at = 0; at < total; at += 1) {
    yield {
      kind: 'verifiers',
      id: `verifier-${at}`,
      name: `${word(at)} Desk ${at}`,
      verifierDid: `did:example:verifier-${at}`,
    };
  }
}

const point = (name: string, type: string) => ({ name, title: name, type, isRequired: true, description: '' });

function* schemas(total: number): Generator<Line> {
  for (let at = 0; at < total; at += 1) {
    yield {
      kind: 'schemas',
      id: `schema-${at}`,
      title: `${word(at)} Record ${at}`,
      description: 'A schema of the benchmark.',
      dataPoints: [
        point('level', 'integer'),
        point('grade', 'string'),
        point('issuedOn', 'string'),
        point('score', 'number'),
      ],
    };
  }
}

function* credentials(total: number, issuerTotal: number, schemaTotal: number): Generator<Line> {
  for (let at = 0; at < total; at += 1) {
    yield {
      kind: 'credentials',
      id: `credential-${at}`,
      name: `${word(at)} ${word(spread(at, 12))} Certificate ${at}`,
      category: CATEGORIES[at % CATEGORIES.length],
      issuerId: `issuer-${at % issuerTotal}`,
      schemaId: `schema-${at % schemaTotal}`,
      traction: counts(at),
    };
  }
}

function* programs(total: number, credentialTotal: number, verifierTotal: number): Generator<Line> {
  for (let at = 0; at < total; at += 1) {
    const accepted = [...new Set([at, at * 3 + 1, at * 7 + 2].map((id) => id % credentialTotal))];
    yield {
      kind: 'programs',
      id: `program-${at}`,
      name: `${word(at)} Check ${at}`,
      description: 'A program of the benchmark.',
      verifierId: `verifier-${at % verifierTotal}`,
      pricingModel: 'free',
      acceptedCredentials: accepted.map((id) => ({
        credentialId: `credential-${id}`,
        verificationConditions: ['level >= 3'],
      })),
      traction: { ...counts(at), verificationCount: spread(at, 20_011) },
    };
  }
}

/** How many of each kind a catalog of so many credentials has. */
export function sizesFor(credentialTotal: number) {
  const part = (divisor: number) => Math.max(10, Math.ceil(credentialTotal / divisor));
  return {
    issuers: part(100),
    verifiers: part(500),
    schemas: part(50),
    credentials: credentialTotal,
    programs: part(4),
  };
}

/** The lines before the credentials: all that they refer to. */
export function* foundation(credentialTotal: number): Generator<Line> {
  const sizes = sizesFor(credentialTotal);
  yield* issuers(sizes.issuers);
  yield* verifiers(sizes.verifiers);
  yield* schemas(sizes.schemas);
}

/** The credentials' lines. */
export function credentialLines(credentialTotal: number): Generator<Line> {
  const sizes = sizesFor(credentialTotal);
  return credentials(credentialTotal, sizes.issuers, sizes.schemas);
}

/** The programs' lines, which accept the credentials: one for every fourth credential unless said otherwise. */
export function programLines(credentialTotal: number, programTotal?: number): Generator<Line> {
  const sizes = sizesFor(credentialTotal);
  return programs(programTotal ?? sizes.programs, credentialTotal, sizes.verifiers);
}
