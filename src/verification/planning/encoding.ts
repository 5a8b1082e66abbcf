// The encoding of a schema version's values as messages of a signature (contract §12), for issuers that sign themselves.
import { DomainError } from '../../base/errors.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import { familyOf } from '../../conditions/index.js';
import { MAX_POINTS, SIGNATURE_SUITE } from '../../zk/index.js';
import type { SchemaEncoding } from './types.js';

/** Shows how a schema version's values are encoded. */
export class EncodingService {
  constructor(private readonly catalog: IssuingCatalog) {}

  /** The encoding of a schema version; it never changes. @throws DomainError NOT_FOUND, for too many data points too. */
  async encoding(schemaId: string, version: number): Promise<SchemaEncoding> {
    const row = await this.catalog.schemaVersion(schemaId, version);
    if (!row) throw new DomainError('NOT_FOUND', 'There is no such version of a schema.');
    if (row.dataPoints.length > MAX_POINTS)
      throw new DomainError(
        'NOT_FOUND',
        `A schema with more than ${MAX_POINTS} data points has no encoding: its credentials are not provable.`,
      );
    const points = row.dataPoints.map(({ name, type, isRequired }) => ({ name, family: familyOf(type), isRequired }));
    return { suite: SIGNATURE_SUITE, points };
  }
}
