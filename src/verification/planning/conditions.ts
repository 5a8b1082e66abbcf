// Conditions for planning (contract §17): converted between languages, compared on a schema.
import { networkOf } from '../../base/callers/client-address.js';
import { badInput, DomainError } from '../../base/errors.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import {
  type CheckedPoint,
  type Comparison,
  type Condition,
  ConditionSyntaxError,
  checkedCondition,
  compareConditions,
  convertConditions,
  familyOf,
} from '../../conditions/index.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import type { CompareConditions, ConvertConditions } from './types.js';

interface Asking {
  /** The client's IP address; undefined if unknown. */
  address?: string;
}

export interface ConditionOptions {
  catalog: IssuingCatalog;
  limits: RateLimits;
  clock(): number;
}

const BY_ADDRESS: RateLimit = { name: 'conditions by address', max: 60, seconds: 60 };

const WHY: Readonly<Record<string, string>> = {
  order: 'texts and JSON have no order',
  type: 'a value is of another type than the field',
  missing: 'the schema has no such field',
};

/** Converts and compares conditions. */
export class ConditionService {
  constructor(private readonly options: ConditionOptions) {}

  /** Converts conditions. @throws DomainError BAD_USER_INPUT for conditions that either language cannot express, RATE_LIMITED. */
  async convert({ from, to, value }: ConvertConditions, asking: Asking): Promise<{ value: unknown }> {
    await this.#count(asking);
    return { value: expressible('value', () => convertConditions(from, to, value)) };
  }

  /**
   * Compares two lists of conditions; relative dates are resolved to the present day.
   * @throws DomainError BAD_USER_INPUT for conditions that do not fit the schema or whose meaning is not defined,
   * NOT_FOUND, RATE_LIMITED
   */
  async compare({ a, b, schemaId }: CompareConditions, asking: Asking): Promise<Comparison> {
    await this.#count(asking);
    const points = await this.options.catalog.dataPoints(schemaId);
    if (!points) throw new DomainError('NOT_FOUND', `The schema ${schemaId} was not found.`);
    const families = new Map(points.map(({ name, type }) => [name, familyOf(type)]));
    const [first, second] = [readAll('a', a, points), readAll('b', b, points)];
    const compared = compareConditions(first, second, (field) => families.get(field), this.options.clock());
    if (!('faults' in compared)) return compared;
    const [fault] = compared.faults;
    throw badInput(`"${fault?.condition}" cannot be compared: ${WHY[fault?.why ?? '']}.`);
  }

  async #count({ address }: Asking): Promise<void> {
    if (address !== undefined) await this.options.limits.count([BY_ADDRESS, networkOf(address)]);
  }
}

const readAll = (name: string, texts: readonly string[], points: readonly CheckedPoint[]): Condition[] =>
  texts.map((text, at) => expressible(`${name}[${at}]`, () => checkedCondition(text, points)));

/** @throws DomainError BAD_USER_INPUT with the 0-based position in the condition's text. */
function expressible<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof ConditionSyntaxError)) throw thrown;
    throw badInput(`"${field}" is wrong at position ${thrown.position}: ${thrown.message}.`, field);
  }
}
