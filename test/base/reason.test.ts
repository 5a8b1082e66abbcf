// Why something failed, for operators: by the code of an error, of its causes, or of the number that a library left of it.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { reasonOf } from '../../src/base/reason.js';

it('a refused connection is named, also where a mail library has replaced its code', async () => {
  const [error] = (await once(
    connect(9, '127.0.0.1').on('error', () => {}),
    'error',
  )) as [Error];
  expect(reasonOf(error)?.says).toBe('the connection is refused (ECONNREFUSED)');
  expect(reasonOf(Object.assign(error, { code: 'ESOCKET' }))?.says).toBe('the connection is refused (ECONNREFUSED)');
});

it('an unknown code is said, and no text of an error', () => {
  expect(reasonOf(new Error('secret'))).toBeUndefined();
  expect(reasonOf(new Error('secret', { cause: { code: 'ESOCKET' } }))).toEqual({ code: 'ESOCKET', says: 'ESOCKET' });
  expect(reasonOf({ code: 'ESOCKET', errno: 'x' })?.says).toBe('ESOCKET');
});

it('a refused sender names the variable to correct', () => {
  expect(reasonOf({ code: 'EENVELOPE' })?.mend).toContain('MAIL_FROM');
});
