// What a schema change would break, before it does (contract §17): conditions of programs, and live credentials that can no longer prove what programs ask.
import type { Caller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { parseInput } from '../../base/input.js';
import { requireOperator } from '../../base/callers/rights.js';
import type { CatalogModels } from '../rows/models.js';
import { PUT_BODIES } from './bodies.js';
import { contentOf } from './put-schema.js';
import type { SchemaImpact } from './records.js';
import { catalogImpact, type FittingVersions } from './schema-impact.js';

/** Counts holders' credentials that were issued under versions that do not fit, up to a bound. */
export type CountOutdated = (schemaId: string, fitting: readonly FittingVersions[], bound: number) => Promise<number>;

const COUNT_BOUND = 10_000;

/** Shows what a schema change would break. */
export class SchemaImpacts {
  #countOutdated: CountOutdated = () => Promise.reject(new Error('nobody counts issuances'));

  constructor(
    private readonly models: CatalogModels,
    private readonly clock: () => number,
  ) {}

  /** Sets the function that counts issuances. The issuance domain provides it. */
  countBy(countOutdated: CountOutdated): void {
    this.#countOutdated = countOutdated;
  }

  /**
   * The effect of moving every live credential on a schema to this content; nothing is written.
   * @param body in the form of `PUT /v1/admin/schemas/{id}`
   * @throws DomainError FORBIDDEN, BAD_USER_INPUT, NOT_FOUND
   */
  async impact(caller: Caller, schemaId: string, body: unknown): Promise<SchemaImpact> {
    requireOperator(caller, 'read');
    const { dataPoints } = contentOf(parseInput(PUT_BODIES.schemas, body));
    if (!(await this.models.schemas.exists({ _id: schemaId, live: true })))
      throw new DomainError('NOT_FOUND', `There is no schema ${schemaId.slice(0, 500)}.`);
    const { breaks, fitting } = await catalogImpact(this.models, schemaId, dataPoints, this.clock());
    return { breaks, reissue: await this.#countOutdated(schemaId, fitting, COUNT_BOUND) };
  }
}
