// Names of claims that all objects inherit: a schema that somebody published may have them.
import { expect, it } from 'vitest';
import { reservedName } from '../../../src/catalog/json-schema/claim-names.service.js';
import { walletClaims } from '../../../src/issuance/wallets/claims.js';

const INHERITED = [
  'constructor.prototype.polluted',
  'hasOwnProperty.call',
  'toString.name',
  'a.constructor.prototype.polluted',
  'valueOf.prototype',
];

it.each(INHERITED)('a data point %s changes no object but the claims', (name) => {
  const point = { name, title: '', type: 'string', isRequired: false, description: '' };
  const derived = [{ name, condition: '', parsed: { field: 'no', operator: '$eq', values: [1], text: '' } as never }];
  const before = Object.getOwnPropertyNames(Object.prototype);
  const { call } = Object.prototype.hasOwnProperty;
  const subject = JSON.parse(name.split('.').reduceRight((inner, member) => `{"${member}":${inner}}`, '"x"'));
  const { claims } = walletClaims(subject, { dataPoints: [point], derived: [] }, 0);
  // Absent, it leaves a decoy.
  walletClaims({}, { dataPoints: [point], derived }, 0);
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(Object.prototype.hasOwnProperty.call).toBe(call);
  expect(Object.hasOwn(Object.prototype.toString, 'name') && Object.prototype.toString.name).toBe('toString');
  expect(({} as Record<string, unknown>)._sd_decoy).toBeUndefined();
  expect(claims).toEqual(subject);
});

it.each([
  ...['constructor', 'a.constructor', 'valueOf', 'toString.a', 'hasOwnProperty', 'isPrototypeOf.a.b'],
  ...['__proto__', 'a.__proto__.b', '__defineGetter__', '_sd', 'a...', 'sub', 'status.a'],
])('a data point %s has no form for wallets', (name) => {
  expect(reservedName(['name', name])).toBe(name);
});

it('data points with other names have one', () => {
  expect(
    reservedName(['constructors', 'a.prototype', 'a.value_of', 'a.sub', 'Constructor', 'tostring']),
  ).toBeUndefined();
});
