// How an operator writes programs: every condition is parsed and checked against the schema of its credential.

import { badInput, DomainError } from '../../base/errors.js';
import type {
  AcceptedCredential,
  CredentialRow,
  DataPoint,
  ProgramRow,
  StoredCondition,
  VerifierRow,
} from '../rows/models.js';
import { countList, sumOf, tractionOf } from '../traction/traction.js';
import type { ProgramBody } from './bodies.js';
import { storedCondition } from './conditions.js';
import type { Effects } from './effects.js';
import { newRow, rowsById } from './entry-rows.js';
import { kindWriter } from './kind.js';

interface ProgramReferences {
  verifiers: ReadonlyMap<string, VerifierRow>;
  credentials: ReadonlyMap<string, Pick<CredentialRow, 'live' | 'schemaId' | 'schemaVersion' | 'cak'>>;
  /** Data points by the id of the schema version. */
  dataPoints: ReadonlyMap<string, readonly DataPoint[]>;
}

const versionId = ({ schemaId, schemaVersion }: Pick<CredentialRow, 'schemaId' | 'schemaVersion'>) =>
  `${schemaId}@${schemaVersion}`;

export const programWriter = kindWriter<'programs', ProgramRow, ProgramReferences>({
  kind: 'programs',
  noun: 'program',
  model: (models) => models.programs,
  async load({ models, session }, items) {
    const ids = items.flatMap(({ body }) => body.acceptedCredentials.map(({ credentialId }) => credentialId));
    const credentials = await rowsById(models.credentials, ids, session);
    const versions = await rowsById(models.schemaVersions, [...credentials.values()].map(versionId), session);
    const verifiers = await rowsById(
      models.verifiers,
      items.map(({ body }) => body.verifierId),
      session,
    );
    return {
      verifiers,
      credentials,
      dataPoints: new Map([...versions].map(([id, { dataPoints }]) => [id, dataPoints])),
    };
  },
  references: ({ verifierId, acceptedCredentials }) => [
    { kind: 'verifiers', id: verifierId, field: 'verifierId' },
    ...acceptedCredentials.map(({ credentialId }, at) => ({
      kind: 'credentials' as const,
      id: credentialId,
      field: `acceptedCredentials[${at}].credentialId`,
    })),
  ],
  build({ id, body, isMirrored = false }, before, loaded, scope) {
    if (!loaded.verifiers.get(body.verifierId)?.live) {
      throw badInput(`"verifierId" names no verifier: ${body.verifierId}.`, 'verifierId');
    }
    const acceptedCredentials = body.acceptedCredentials.map((entry, at) =>
      accept(entry, { field: `acceptedCredentials[${at}]`, isMirrored }, before, loaded),
    );
    if (body.cak) requireCak(body, loaded);
    const traction = tractionOf(before?.traction, body.traction);
    const { name, description, verifierId, pricingModel, maxPerHolder, cak, disclose, createdAt } = body;
    const own = {
      popularity: sumOf(traction).verificationCount,
      name,
      description,
      verifierId,
      acceptedCredentials,
      pricingModel,
      credentialCount: acceptedCredentials.filter(({ credentialId }) => loaded.credentials.get(credentialId)?.live)
        .length,
      maxPerHolder,
      cak,
      traction,
      ...(disclose && { disclose }),
    };
    return newRow({ id, name, before, createdAt, now: scope.now }, own);
  },
  content: (row) => [
    [row.name, row.description, row.verifierId, row.pricingModel, row.createdAt],
    row.acceptedCredentials.map(({ credentialId, verificationConditions }) => [credentialId, verificationConditions]),
    countList(row.traction.base),
    // Omitted if there is no limit, so that programs without one keep their etag.
    ...(row.maxPerHolder == null ? [] : [row.maxPerHolder]),
    ...(row.cak ? ['cak'] : []),
    ...(row.disclose ? ['disclose'] : []),
  ],
  effects({ before, after }, effects) {
    if (before?.live) countProgram(before, effects, -1);
    if (after.live) countProgram(after, effects, 1);
  },
  record: (row) => ({
    programId: row._id,
    name: row.name,
    description: row.description,
    verifierId: row.verifierId,
    acceptedCredentials: row.acceptedCredentials.map(({ credentialId, verificationConditions }) => ({
      credentialId,
      verificationConditions,
    })),
    pricingModel: row.pricingModel,
    maxPerHolder: row.maxPerHolder ?? null,
    cak: row.cak ?? false,
    disclose: row.disclose ?? false,
    traction: { verificationCount: sumOf(row.traction).verificationCount },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    etag: row.etag,
  }),
});

function countProgram(program: ProgramRow, effects: Effects, by: number): void {
  effects.count('verifiers', program.verifierId, { programCount: by, popularity: by });
  for (const { credentialId } of program.acceptedCredentials) {
    effects.count('credentials', credentialId, { demandCount: by });
  }
}

/** @throws DomainError BAD_USER_INPUT unless every accepted credential comes with a CAK. */
function requireCak({ acceptedCredentials }: ProgramBody, { credentials }: ProgramReferences): void {
  const without = acceptedCredentials.find(({ credentialId }) => !credentials.get(credentialId)?.cak);
  if (without || acceptedCredentials.length === 0)
    throw badInput(`"cak" needs credentials with a CAK${without ? `: ${without.credentialId} has none` : ''}.`, 'cak');
}

/** A retired credential may stay in a program that already has it, but cannot be added. */
function accept(
  { credentialId, verificationConditions }: ProgramBody['acceptedCredentials'][number],
  { field, isMirrored }: { field: string; isMirrored: boolean },
  before: ProgramRow | undefined,
  { credentials, dataPoints }: ProgramReferences,
): AcceptedCredential {
  const credential = credentials.get(credentialId);
  const previous = before?.acceptedCredentials.find((accepted) => accepted.credentialId === credentialId);
  if (credential === undefined || !(credential.live || previous)) {
    throw badInput(`"${field}.credentialId" names no credential: ${credentialId}.`, `${field}.credentialId`);
  }
  const fields = dataPoints.get(versionId(credential)) ?? [];
  const checked = () =>
    verificationConditions.map((text, at) => storedCondition(text, fields, `${field}.verificationConditions[${at}]`));
  return { credentialId, verificationConditions, conditions: isMirrored ? parsedOrNull(checked) : checked() };
}

/**
 * Parses conditions; null for those of another network that do not parse. Their texts are then stored unparsed
 * (contract §7).
 */
function parsedOrNull(checked: () => StoredCondition[]): StoredCondition[] | null {
  try {
    return checked();
  } catch (thrown) {
    if (thrown instanceof DomainError) return null;
    throw thrown;
  }
}
