// Turns responses of a source into entries in the form of import lines. Shapes are checked loosely here, because other networks send more;
// the rules of the catalog's own bodies (admin/bodies.ts) apply when an entry is written.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { toDomainError } from '../../base/errors.js';
import { parseInput } from '../../base/input.js';
import type { CatalogKind } from '../rows/rows.js';
import { AnswerRefused } from './source.js';

/** An entry of the source. */
export interface SourceEntry {
  kind: CatalogKind;
  id: string;
  /** A body of an import line. */
  body: object;
  fingerprint: string;
}

const count = z.number().int().nonnegative().default(0);
const text = z.string().nullish();
const traction = z.object({ holderCount: count, issuanceCount: count, verificationCount: count });

const issuer = z.object({ issuerId: z.string(), name: z.string(), issuerDid: z.string(), issuerFrom: z.string() });

const dataPoint = z.object({
  name: z.string(),
  title: text,
  type: z.string(),
  isRequired: z.boolean().default(false),
  description: text,
});

/**
 * The most members of a list: as many as the catalog's own bodies may have, and, below a schema, as many as a source
 * may list. Further members are ignored.
 */
const MOST = { dataPoints: 1_000, acceptedCredentials: 100, conditions: 50, credentials: 100_000 } as const;

const schemaDetail = z.object({
  schemaId: z.string(),
  title: z.string(),
  description: text,
  dataPoints: z.array(dataPoint).max(MOST.dataPoints),
  credentials: z.array(z.unknown()).max(MOST.credentials).default([]),
  createdAt: text,
});

const credentialDetail = z.object({
  credentialId: z.string(),
  name: z.string(),
  category: z.string(),
  issuer,
  schema: z.object({ schemaId: z.string() }),
  traction: traction.optional(),
  accessibleStart: text,
  accessibleEnd: text,
  expirationDuration: z.number().nullish(),
  createdAt: text,
});

const verifier = z.object({ verifierId: z.string(), name: z.string(), verifierDid: z.string() });

const acceptedCredential = z.object({
  credentialId: z.string(),
  verificationConditions: z.array(z.string()).max(MOST.conditions).default([]),
});

const programDetail = z.object({
  programId: z.string(),
  name: z.string(),
  description: text,
  acceptedCredentials: z.array(acceptedCredential).max(MOST.acceptedCredentials),
  verifierInfo: verifier,
  traction: z.object({ verificationCount: count }).optional(),
  pricingModel: z.string(),
  createdAt: text,
});

/** A hash of an entry's record in a source's list. */
export const fingerprintOf = (record: unknown): string =>
  createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 22);

/** @throws AnswerRefused naming the first invalid field. */
function parsed<T>(shape: z.ZodType<T>, answer: unknown): T {
  try {
    return parseInput(shape, answer);
  } catch (thrown) {
    throw new AnswerRefused(toDomainError(thrown).message);
  }
}

const whole = (kind: CatalogKind, id: string, body: object): SourceEntry => ({
  kind,
  id,
  body,
  fingerprint: fingerprintOf(body),
});

const dated = (createdAt: string | null | undefined) => (createdAt == null ? {} : { createdAt });

/** A schema, and the credentials listed below it. */
export function schemaOf(detail: unknown): { entry: SourceEntry; credentials: unknown[] } {
  const { schemaId, title, description, dataPoints, credentials, createdAt } = parsed(schemaDetail, detail);
  const points = dataPoints.map((point) => ({
    ...point,
    title: point.title ?? point.name,
    description: point.description ?? '',
  }));
  const body = { title, description: description ?? '', dataPoints: points, ...dated(createdAt) };
  return { entry: whole('schemas', schemaId, body), credentials };
}

/** A credential, and its issuer before it. @param record what the source's list says about it */
export function credentialOf(detail: unknown, record: unknown): SourceEntry[] {
  const { credentialId: id, issuer, schema, createdAt, ...rest } = parsed(credentialDetail, detail);
  const { name, category, traction, accessibleStart, accessibleEnd, expirationDuration } = rest;
  const body = {
    name,
    category,
    issuerId: issuer.issuerId,
    schemaId: schema.schemaId,
    accessibleStart: accessibleStart ?? null,
    accessibleEnd: accessibleEnd ?? null,
    expirationDuration: expirationDuration ?? null,
    ...(traction ? { traction } : {}),
    ...dated(createdAt),
    // A credential may break programs: they follow in the same run, and their conditions are checked again then.
    force: true,
  };
  return [issuerEntry(issuer), { kind: 'credentials', id, body, fingerprint: fingerprintOf(record) }];
}

const issuerEntry = ({ issuerId, ...body }: z.output<typeof issuer>): SourceEntry => whole('issuers', issuerId, body);

/** The issuer that a list names in a credential's entry, if it does. */
export function listedIssuer(record: unknown): SourceEntry[] {
  const { data } = z.object({ issuer }).safeParse(record);
  return data ? [issuerEntry(data.issuer)] : [];
}

/** A program, its verifier before it, and the ids of what it accepts. @param record what the source's list says about it */
export function programOf(detail: unknown, record: unknown): { entries: SourceEntry[]; credentialIds: string[] } {
  const { programId: id, verifierInfo, traction, createdAt, description, ...rest } = parsed(programDetail, detail);
  const body = {
    ...rest,
    description: description ?? '',
    verifierId: verifierInfo.verifierId,
    ...(traction ? { traction } : {}),
    ...dated(createdAt),
  };
  return {
    entries: [verifierEntry(verifierInfo), { kind: 'programs', id, body, fingerprint: fingerprintOf(record) }],
    credentialIds: rest.acceptedCredentials.map(({ credentialId }) => credentialId),
  };
}

const verifierEntry = ({ verifierId, ...body }: z.output<typeof verifier>): SourceEntry =>
  whole('verifiers', verifierId, body);

/** The verifier that a list names in a program's entry, if it does. */
export function listedVerifier(record: unknown): SourceEntry[] {
  const { data } = z.object({ verifierInfo: verifier }).safeParse(record);
  return data ? [verifierEntry(data.verifierInfo)] : [];
}
