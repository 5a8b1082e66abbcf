// The responses of the catalog routes (contract §2): the contract's fields of the services' records.
import type { CatalogService } from '../reading/catalog.js';
import type { Credential, Issuer, Program, Schema, Verifier } from '../records/types.js';

type Kinds = { credentials: Credential; programs: Program; issuers: Issuer; verifiers: Verifier; schemas: Schema };

/** Records of one kind by id, in one command; missing ones are left out. */
async function lookUp<K extends keyof Kinds>(
  catalog: CatalogService,
  kind: K,
  ids: readonly string[],
): Promise<Map<string, Kinds[K]>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const records: readonly (Kinds[K] | null)[] = await catalog.byIds(kind, distinct);
  return new Map(distinct.flatMap((id, at) => (records[at] ? [[id, records[at]] as const] : [])));
}

/** The counts, without the key of their series. */
const countsOf = <T extends { entry: string }>({ entry: _, ...counts }: T): Omit<T, 'entry'> => counts;

const issuerView = (issuer: Issuer | undefined) =>
  issuer && {
    issuerId: issuer.issuerId,
    name: issuer.name,
    issuerDid: issuer.issuerDid,
    issuerFrom: issuer.issuerFrom,
  };

const verifierView = (verifier: Verifier | undefined) =>
  verifier && { verifierId: verifier.verifierId, name: verifier.name, verifierDid: verifier.verifierDid };

const schemaView = (schema: Schema | undefined) =>
  schema && { schemaId: schema.schemaId, title: schema.title, description: schema.description };

/** Credentials as list records: the detail without its lists. */
export async function credentialRecords(catalog: CatalogService, credentials: readonly Credential[]) {
  const [issuers, schemas] = await Promise.all([
    lookUp(
      catalog,
      'issuers',
      credentials.map(({ issuerId }) => issuerId),
    ),
    lookUp(
      catalog,
      'schemas',
      credentials.map(({ schemaId }) => schemaId),
    ),
  ]);
  return credentials.map((credential) => ({
    credentialId: credential.credentialId,
    name: credential.name,
    category: credential.category,
    issuer: issuerView(issuers.get(credential.issuerId)),
    schema: schemaView(schemas.get(credential.schemaId)),
    traction: countsOf(credential.traction),
    createdAt: credential.createdAt,
    accessibleStart: credential.accessibleStart,
    accessibleEnd: credential.accessibleEnd,
    expirationDuration: credential.expirationDuration,
    firstIssuedAt: credential.firstIssuedAt,
    lastIssuedAt: credential.lastIssuedAt,
  }));
}

/** One credential in full. */
export async function credentialDetail(catalog: CatalogService, credential: Credential) {
  const { credentialId, schemaId, schemaVersion } = credential;
  const [[record], [dataPoints], programs] = await Promise.all([
    credentialRecords(catalog, [credential]),
    catalog.dataPoints([{ schemaId, version: schemaVersion }]),
    catalog.mostPopular('credentialPrograms', credentialId),
  ]);
  const verifiers = await lookUp(
    catalog,
    'verifiers',
    programs.map(({ verifierId }) => verifierId),
  );
  return {
    ...record,
    dataPoints,
    programs: programs.map(({ programId, name, verifierId, traction }) => ({
      programId,
      name,
      verifierName: verifiers.get(verifierId)?.name,
      verificationCount: traction.verificationCount,
    })),
  };
}

/** Programs as list records. */
export async function programRecords(catalog: CatalogService, programs: readonly Program[]) {
  const accepted = await catalog.acceptedCredentials(programs.map(({ programId }) => programId));
  const acceptedIds = accepted.flat().map(({ credentialId }) => credentialId);
  const [credentials, verifiers] = await Promise.all([
    lookUp(catalog, 'credentials', acceptedIds),
    lookUp(
      catalog,
      'verifiers',
      programs.map(({ verifierId }) => verifierId),
    ),
  ]);
  return programs.map((program, at) => {
    const categories = accepted[at]?.flatMap(({ credentialId }) => credentials.get(credentialId)?.category ?? []);
    return {
      programId: program.programId,
      name: program.name,
      description: program.description,
      verificationCount: program.traction.verificationCount,
      credentialCount: program.credentialCount,
      acceptedCredentialTypes: [...new Set(categories)],
      verifierInfo: verifierView(verifiers.get(program.verifierId)),
      pricingModel: program.pricingModel,
      createdAt: program.createdAt,
    };
  });
}

/** One program in full. Retired accepted credentials are left out. */
export async function programDetail(catalog: CatalogService, program: Program) {
  const [accepted = []] = await catalog.acceptedCredentials([program.programId]);
  const ids = accepted.map(({ credentialId }) => credentialId);
  const [credentials, verifiers] = await Promise.all([
    lookUp(catalog, 'credentials', ids),
    lookUp(catalog, 'verifiers', [program.verifierId]),
  ]);
  return {
    programId: program.programId,
    name: program.name,
    description: program.description,
    acceptedCredentials: accepted.flatMap(({ credentialId, verificationConditions }) => {
      const credential = credentials.get(credentialId);
      if (credential === undefined) return [];
      const { name, category, traction } = credential;
      const { holderCount, issuanceCount } = traction;
      return [{ credentialId, name, category, holderCount, issuanceCount, verificationConditions }];
    }),
    verifierInfo: verifierView(verifiers.get(program.verifierId)),
    traction: { verificationCount: program.traction.verificationCount },
    pricingModel: program.pricingModel,
    createdAt: program.createdAt,
  };
}

/** A schema as a list record. `providerCount` repeats a number under the name that older clients use. */
export const schemaRecord = (schema: Schema) => ({
  ...schemaView(schema),
  credentialCount: schema.credentialCount,
  issuerCount: schema.issuerCount,
  providerCount: schema.issuerCount,
});

/** One schema in full, with what is built on it. */
export async function schemaDetail(catalog: CatalogService, schema: Schema) {
  const { schemaId, version } = schema;
  const [[dataPoints], credentials] = await Promise.all([
    catalog.dataPoints([{ schemaId, version }]),
    catalog.mostPopular('schemaCredentials', schemaId),
  ]);
  const records = await credentialRecords(catalog, credentials);
  return {
    ...schemaView(schema),
    dataPoints,
    credentials: records.map(({ credentialId, name, category, issuer, traction, createdAt }) => ({
      credentialId,
      name,
      category,
      issuer,
      traction,
      createdAt,
    })),
    createdAt: schema.createdAt,
  };
}

/** An issuer as a list record. */
export const issuerRecord = (issuer: Issuer) => ({
  ...issuerView(issuer),
  traction: issuer.traction,
  createdAt: issuer.createdAt,
});

/** One issuer in full. */
export async function issuerDetail(catalog: CatalogService, issuer: Issuer) {
  const credentials = await catalog.mostPopular('issuerCredentials', issuer.issuerId);
  return {
    ...issuerRecord(issuer),
    credentials: credentials.map(({ credentialId, name, category }) => ({ credentialId, name, category })),
  };
}

/** A verifier as a list record. */
export const verifierRecord = (verifier: Verifier) => ({ ...verifierView(verifier), createdAt: verifier.createdAt });

/** One verifier in full. */
export async function verifierDetail(catalog: CatalogService, verifier: Verifier) {
  const programs = await catalog.mostPopular('verifierPrograms', verifier.verifierId);
  return {
    ...verifierRecord(verifier),
    programs: programs.map(({ programId, name, traction }) => ({
      programId,
      name,
      verificationCount: traction.verificationCount,
    })),
  };
}
