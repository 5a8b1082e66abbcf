// Operator keys as operators see them, and what they send.
import { z } from 'zod';
import { INTERNAL_OPERATORS } from '../base/callers/caller.js';
import { choice, input, record, time } from '../base/record.js';
import type { OperatorKeyRow } from './models.js';

export const operatorKeyRole = choice('OperatorKeyRole', 'What an operator key may do.', {
  read: 'Read what operators may read.',
  catalog: 'READ, and write the catalog.',
  all: 'Everything.',
});

export const operatorKey = record('OperatorKey', 'A named operator key.', {
  name: z.string().describe('Its name, which the audit log shows.'),
  role: operatorKeyRole.describe('What it allows.'),
  createdAt: time.describe('When it was created.'),
  previousUntil: time.nullable().describe('Until when the key from before the last rotation works.'),
  withdrawnAt: time.nullable().describe('When it was withdrawn.'),
});
export type OperatorKey = z.output<typeof operatorKey>;

const keyName = z
  .string()
  .regex(/^[a-z][a-z0-9.-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits, "." and "-", a letter first');

export const createOperatorKeyInput = input('CreateOperatorKeyInput', 'An operator key to create.', {
  name: keyName
    .refine((name) => !Object.hasOwn(INTERNAL_OPERATORS, name), 'is reserved')
    .describe('Its name: lower-case letters, digits, "." and "-", used once.'),
  role: operatorKeyRole.describe('What it allows.'),
});
export type NewOperatorKey = z.output<typeof createOperatorKeyInput>;

export const operatorKeyInput = input('OperatorKeyInput', 'Which operator key.', {
  name: keyName.describe('Its name.'),
});
export type OperatorKeyName = z.output<typeof operatorKeyInput>;

/** A key with its text, which is shown only here. */
export const operatorKeyWithText = operatorKey.extend({ key: z.string() });
export type OperatorKeyWithText = z.output<typeof operatorKeyWithText>;

export const operatorKeyTextPayload = record('OperatorKeyTextPayload', 'An operator key with its text.', {
  operatorKey: operatorKey.describe('The key.'),
  key: z.string().describe('The text to send in x-admin-api-key. It is shown only in this response.'),
});

export const withdrawOperatorKeyPayload = record('WithdrawOperatorKeyPayload', 'A withdrawn operator key.', {
  operatorKey: operatorKey.describe('The key.'),
});

/** A key for operators, made from its row. */
export const operatorKeyView = ({ _id, role, createdAt, previousUntil, withdrawnAt }: OperatorKeyRow): OperatorKey => ({
  name: _id,
  role,
  createdAt,
  previousUntil: previousUntil ?? null,
  withdrawnAt: withdrawnAt ?? null,
});
