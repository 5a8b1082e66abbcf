// The catalog in a peer's memory: what the peers' DataLoaders answer from, so that they never wait for a store.
import DataLoader from 'dataloader';
import type { Db } from 'mongodb';

interface Counts {
  holderCount: number;
  issuanceCount: number;
  verificationCount: number;
}
interface Row {
  _id: string;
  name: string;
  popularity: number;
}
interface CredentialRow extends Row {
  category: string;
  issuerId: string;
  schemaId: string;
  demandCount: number;
  traction: { base: Counts; own: Counts };
}
interface ProgramRow extends Row {
  pricingModel: string;
  verifierId: string;
  acceptedCredentials: { credentialId: string }[];
}

export interface Credential {
  credentialId: string;
  name: string;
  category: string;
  issuerId: string;
  schemaId: string;
  traction: Counts & { demandCount: number };
}
export interface Issuer {
  issuerId: string;
  name: string;
  issuerDid: string;
}
export interface Schema {
  schemaId: string;
  title: string;
}
export interface Program {
  programId: string;
  name: string;
  pricingModel: string;
  verifierId: string;
}
export interface Verifier {
  verifierId: string;
  name: string;
}

/** The catalog as maps. */
export interface Rows {
  /** By popularity, most popular first. */
  credentials: Credential[];
  issuers: Map<string, Issuer>;
  schemas: Map<string, Schema>;
  verifiers: Map<string, Verifier>;
  /** Of a credential, most popular first. */
  programs: Map<string, Program[]>;
}

/** A stored credential as it is shown. */
export function credentialOf({
  _id,
  name,
  category,
  issuerId,
  schemaId,
  demandCount,
  traction,
}: CredentialRow): Credential {
  const { base, own } = traction;
  return {
    credentialId: _id,
    name,
    category,
    issuerId,
    schemaId,
    traction: {
      holderCount: base.holderCount + own.holderCount,
      issuanceCount: base.issuanceCount + own.issuanceCount,
      verificationCount: base.verificationCount + own.verificationCount,
      demandCount,
    },
  };
}

const byPopularity = { popularity: -1, _id: -1 } as const;

/** Reads the whole catalog. */
export async function readRows(db: Db): Promise<Rows> {
  const live = { live: true };
  const all = <R extends object>(name: string) =>
    db
      .collection<R>(name)
      .find(live as never)
      .sort(byPopularity)
      .toArray();
  const programs = new Map<string, Program[]>();
  for (const { _id, acceptedCredentials, name, pricingModel, verifierId } of await all<ProgramRow>('programs')) {
    const program = { programId: _id, name, pricingModel, verifierId };
    for (const { credentialId } of acceptedCredentials) {
      programs.set(credentialId, [...(programs.get(credentialId) ?? []), program]);
    }
  }
  const [credentials, issuers, schemas, verifiers] = await Promise.all([
    all<CredentialRow>('credentials'),
    all<Row & { issuerDid: string }>('issuers'),
    all<{ _id: string; title: string }>('schemas'),
    all<Row>('verifiers'),
  ]);
  return {
    credentials: credentials.map((row) => credentialOf(row as CredentialRow)),
    issuers: new Map(issuers.map(({ _id, name, issuerDid }) => [_id, { issuerId: _id, name, issuerDid }])),
    schemas: new Map(schemas.map(({ _id, title }) => [_id, { schemaId: _id, title }])),
    verifiers: new Map(verifiers.map(({ _id, name }) => [_id, { verifierId: _id, name }])),
    programs,
  };
}

/** One set of loaders a request, as a gateway over a store has them. */
export interface Loaders {
  issuers: DataLoader<string, Issuer>;
  schemas: DataLoader<string, Schema>;
  verifiers: DataLoader<string, Verifier>;
  programs: DataLoader<string, Program[]>;
}

export function makeLoaders(rows: Rows): Loaders {
  const from = <V>(map: Map<string, V>) =>
    new DataLoader<string, V>(async (ids) => ids.map((id) => map.get(id) ?? new Error(`there is no ${id}`)));
  const { issuers, schemas, verifiers, programs } = rows;
  return { issuers: from(issuers), schemas: from(schemas), verifiers: from(verifiers), programs: from(programs) };
}
