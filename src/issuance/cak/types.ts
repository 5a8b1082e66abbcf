// The public half of a holder's CAK, as clients see and send it (contract §17).
import { z } from 'zod';
import { lowerUuid } from '../../base/input.js';
import { catalogId, choice, input, record } from '../../base/record.js';
import type { CakKeyRow } from './models.js';

const cakCurve = choice('CakCurve', 'The curve of a CAK key pair.', {
  secp256r1: 'The curve secp256r1 (NIST P-256).',
  secp256k1: 'The curve secp256k1, as Ethereum uses it.',
});

/** Descriptions of the issuer and the schema of a key pair. */
const ISSUER = 'For credentials of this issuer.';
const SCHEMA = 'For credentials on this schema.';

export const registerCakInput = input('RegisterCakInput', "The public half of a holder's CAK.", {
  issuerId: catalogId.describe(ISSUER),
  schemaId: catalogId.describe(SCHEMA),
  curve: cakCurve.describe('Its curve.'),
  // Its length is checked here, and the service checks it on its curve. Messages never repeat it.
  publicKey: z
    .string()
    .length(66, 'must be 66 hexadecimal digits')
    .describe('SEC1, compressed, 66 hex digits. The private half stays with the holder.'),
});

export type RegisterCak = z.output<typeof registerCakInput>;

export const ownCakKeyInput = z.strictObject({
  issuerId: catalogId.describe('Which issuer.'),
  schemaId: catalogId.describe('Id of the schema.'),
});

export const cakKeyInput = z.strictObject({
  userId: lowerUuid.describe('Which holder.'),
  issuerId: catalogId.describe('Which issuer.'),
  schemaId: catalogId.describe('Id of the schema.'),
});

export const cakKey = record('CakKey', "The public half of a holder's CAK.", {
  issuerId: z.string().describe(ISSUER),
  schemaId: z.string().describe(SCHEMA),
  curve: cakCurve.describe('Its curve.'),
  publicKey: z.string().describe('SEC1, compressed, 66 hex digits.'),
}).meta({ id: 'CakKey' });
export type CakKey = z.output<typeof cakKey>;
export type CakPlace = Pick<CakKey, 'issuerId' | 'schemaId'>;

export const registerCakPayload = record('RegisterCakPayload', 'Response of registerCak.', {
  cakKey: cakKey.describe('The key as it is registered now.'),
});

/** A key for clients. */
export const cakKeyOf = ({ issuerId, schemaId, curve, publicKey }: CakKeyRow): CakKey => ({
  issuerId,
  schemaId,
  curve,
  publicKey,
});
