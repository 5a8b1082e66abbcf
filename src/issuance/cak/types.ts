// Public halves of CAKs, as holders and partners see and send them (contract §17).
import { z } from 'zod';
import { choice, input, record } from '../../base/record.js';

const cakCurve = choice('CakCurve', 'The curve of a CAK key pair.', {
  secp256r1: 'The curve secp256r1 (NIST P-256).',
  secp256k1: 'The curve secp256k1, as Ethereum uses it.',
});

const id = z.string().min(1).max(500);
/** What a key pair is for. */
const place = {
  issuerId: id.describe('For credentials of this issuer.'),
  schemaId: id.describe('For credentials on this schema.'),
};

export const cakKey = record('CakKey', "The public half of a holder's CAK.", {
  issuerId: z.string().describe('For credentials of this issuer.'),
  schemaId: z.string().describe('For credentials on this schema.'),
  curve: cakCurve.describe('Its curve.'),
  publicKey: z.string().describe('SEC1, compressed, 66 hex digits.'),
}).meta({ id: 'CakKey' });
export type CakKey = z.output<typeof cakKey>;

export const registerCakInput = input('RegisterCakInput', "The public half of a holder's CAK.", {
  ...place,
  curve: cakCurve.describe('Its curve.'),
  // Bounded here, checked on its curve by the service. A message never repeats it.
  publicKey: z
    .string()
    .length(66, 'must be 66 hexadecimal digits')
    .describe('SEC1, compressed, 66 hex digits. The private half stays with the holder.'),
});

export const registerCakPayload = record('RegisterCakPayload', 'Response of registerCak.', {
  cakKey: cakKey.describe('The key as it is registered now.'),
});

export const ownCakKeyInput = input('OwnCakKeyInput', 'What a CAK is for.', {
  issuerId: id.describe('Which issuer.'),
  schemaId: id.describe('Id of the schema.'),
});

export const cakKeyInput = input('CakKeyInput', 'Whose CAK, and for what.', {
  userId: z
    .guid('must be a UUID')
    .transform((text) => text.toLowerCase())
    .describe('Which holder.'),
  issuerId: id.describe('Which issuer.'),
  schemaId: id.describe('Id of the schema.'),
});
