// How an operator writes verifiers: a DID belongs to one verifier, and a verifier with live programs cannot be retired.

import type { VerifierRow } from '../rows/models.js';
import { newRow } from './entry-rows.js';
import { kindWriter } from './kind.js';
import { claimDid, needed } from './put-issuer.js';

export const verifierWriter = kindWriter<'verifiers', VerifierRow, Map<string, string>>({
  kind: 'verifiers',
  noun: 'verifier',
  model: (models) => models.verifiers,
  async load({ models, session }, items) {
    const dids = items.map(({ body }) => body.verifierDid);
    const rows = await models.verifiers.find({ verifierDid: { $in: dids } }, { verifierDid: 1 }, { session }).lean();
    return new Map(rows.map((row) => [row.verifierDid, row._id]));
  },
  build({ id, body }, before, owners, scope) {
    const { name, verifierDid, verifierInfo, createdAt } = body;
    claimDid(owners, 'verifier', 'verifierDid', verifierDid, { id, before: before?.verifierDid });
    const programCount = before?.programCount ?? 0;
    const info = verifierInfo.length === 0 ? {} : { verifierInfo: JSON.stringify(verifierInfo) };
    return newRow({ id, name, before, createdAt, now: scope.now }, { name, verifierDid, programCount, ...info });
  },
  // Omitted if there is nothing, so that such verifiers keep their etag.
  content: (row) => [
    ...[row.name, row.verifierDid, row.createdAt],
    ...(row.verifierInfo === undefined ? [] : [row.verifierInfo]),
  ],
  async mayRetire({ _id, programCount }) {
    if (programCount > 0) throw needed(`verifier ${_id}`, programCount, 'program');
  },
  effects: () => undefined,
  record: (row) => ({
    verifierId: row._id,
    name: row.name,
    verifierDid: row.verifierDid,
    verifierInfo: row.verifierInfo === undefined ? [] : JSON.parse(row.verifierInfo),
    programCount: row.programCount,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    etag: row.etag,
  }),
});
