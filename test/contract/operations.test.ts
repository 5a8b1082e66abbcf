// Operations that GraphQL and REST both have are one row each: the tables of rights, the audit log and `why` agree with the rows.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALL_PARTNER_OPERATIONS } from '../../src/base/callers/partner-operations.js';
import { OPERATIONS } from '../../src/compose/domains.js';
import { describedRoutes } from '../../src/compose/openapi.js';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { callersOf, type Operation, permissionOf } from '../../src/http/routes/operation.js';
import { DOORS } from '../audit/doors.js';
import { ERASURE_DOORS } from '../audit/erasure-doors.js';
import { CALLERS } from './rights-world.js';

/** A table of rights of REST or GraphQL: the result for each caller. */
function rightsOf(table: string): Map<string, string[]> {
  const [, ...lines] = readFileSync(`test/contract/rights-${table}.txt`, 'utf8').trimEnd().split('\n');
  return new Map(lines.map((line) => [line.slice(0, 49).trim(), line.slice(50).trim().split(/\s+/)]));
}

const routeOf = ({ rest }: Operation): string => `${rest?.method} ${rest?.path}`;
const both = OPERATIONS.filter(({ rest }) => rest !== undefined);

describe('An operation of GraphQL and REST', () => {
  it('an operation of GraphQL and REST has a field and, if its row says so, a route', () => {
    const schema = buildGatewaySchema({ catalogEnabled: true });
    const routes = describedRoutes().map(({ method, path }) => `${method} ${path}`);
    for (const operation of OPERATIONS) {
      const root = operation.kind === 'query' ? schema.getQueryType() : schema.getMutationType();
      expect(root?.getFields()[operation.name]?.description).toBe(operation.description);
      if (operation.rest) expect(routes).toContain(routeOf(operation));
    }
    expect(both.length).toBeGreaterThan(7);
  });

  it.each(both)('$name refuses the same callers in both', (operation) => {
    // Where anyone may call, REST ignores tokens, whereas GraphQL refuses invalid ones; the tables may differ there.
    const told = CALLERS.map((name) => callersOf(operation).length > 0 || !['expired', 'ended'].includes(name));
    const refused = (cells: string[] = []) => cells.map((cell, at) => told[at] && /^40[13]$/.test(cell));
    const inGraphql = rightsOf(operation.kind).get(operation.name);
    expect(inGraphql).toBeDefined();
    expect(refused(rightsOf('rest').get(routeOf(operation)))).toEqual(refused(inGraphql));
  });

  it.each(OPERATIONS.filter(({ kind }) => kind === 'mutation'))(
    '$name writes the audit entry that its row names',
    (operation) => {
      const { name, audit } = operation;
      const doors = [name, ...(operation.rest ? [routeOf(operation)] : [])];
      const entries = [...DOORS, ...ERASURE_DOORS].filter(([door]) => doors.includes(door)).map(([, entry]) => entry);
      const isAudited = audit !== 'holder' && audit !== 'none';
      expect(entries).toHaveLength(isAudited ? doors.length : 0);
      expect(entries.filter((entry) => ![audit].flat().includes(entry))).toEqual([]);
      if (audit === 'holder') expect(callersOf(operation).filter((kind) => kind !== 'holder')).toEqual([]);
    },
  );
});

it('`why` explains nothing that no operation, route or field asks for', () => {
  const schema = buildGatewaySchema({ catalogEnabled: true });
  const fields = [schema.getQueryType(), schema.getMutationType()].map((type) => Object.keys(type?.getFields() ?? {}));
  const rows = [...OPERATIONS.map(permissionOf), ...describedRoutes().map((row) => row.operation)];
  const asked = new Set<unknown>([...rows, ...fields.flat()]);
  expect(ALL_PARTNER_OPERATIONS.filter((permission) => !asked.has(permission))).toEqual([]);
});
