// A verification as its partner sees it (contract §16), and as its result goes to the holder.
import { z } from 'zod';
import { hash, record, shownAs, time, withheld } from '../../base/record.js';
import { anchorInfo } from '../../chain/types.js';
import { verificationId } from './members.js';

/** The client SDK's CredentialVerificationResult.status. */
export const verificationStatus = shownAs(
  'String',
  z.enum(['Compliant', 'Non-Compliant', 'Pending', 'Revoking', 'Revoked', 'Expired', 'NotFound']),
);
export type VerificationStatus = z.output<typeof verificationStatus>;

/** The reason, if the status alone does not determine it (contract §15). */
const verificationReason = shownAs(
  'String',
  z.enum([
    ...['anchor', 'transaction', 'no_chain', 'redirect', 'proof', 'declined', 'timeout', 'repeat', 'conditions'],
    ...['wallet', 'suspended', 'status'],
  ] as const),
);
export type VerificationReason = z.output<typeof verificationReason>;

const verificationVia = shownAs('String', z.enum(['sdk', 'wallet']));

const verificationState = shownAs('String', z.enum(['open', 'proved', 'closed']));
export type VerificationState = z.output<typeof verificationState>;

export const verificationResult = record(
  'VerificationResult',
  'The result of a verification, in the form of client SDKs.',
  {
    status: verificationStatus.describe('Compliant, Non-Compliant, Pending, Revoking, Revoked, Expired or NotFound.'),
    zkProofs: z
      .record(z.string(), z.string())
      .optional()
      .describe('The proof by credentialId; only if Compliant. Empty once the proof is deleted.'),
    transactionHash: z.string().optional().describe('The transaction that anchored the proof; only if Compliant.'),
  },
).meta({ id: 'VerificationResult' });
export type VerificationResult = z.output<typeof verificationResult>;

const result = verificationResult.describe('Its current result.');
const reason = verificationReason.nullable().describe('Why, if the status alone does not say it.');

export const verification = record(
  'Verification',
  'A verification. Its partner sees all fields, its holder only `result` and `reason`.',
  {
    verificationId: withheld(verificationId.describe('Its id.')),
    programId: withheld(z.string().describe('The program.')),
    programVersion: withheld(hash.describe('The version of the program that was pinned at the start.')),
    state: withheld(verificationState.describe('open, proved or closed.')),
    result,
    reason,
    credentialId: z.string().nullable().describe('Id of the proven credential.'),
    via: withheld(verificationVia.describe('sdk: the holder answers here; wallet: a wallet of others answers.')),
    disclosed: withheld(
      z
        .array(z.string())
        .describe('Paths of the claims that a wallet disclosed, with dots; their values are not stored.'),
    ),
    proofSha256: hash.nullable().describe("SHA-256 of the presentation's text, 64 hex digits."),
    nullifier: hash
      .nullable()
      .describe('The same whenever this holder uses this program, and unlinkable between programs; 64 hex digits.'),
    current: verificationStatus.nullable().describe('The current status of a verification that was Compliant.'),
    receipt: z.string().nullable().describe('Compact JWS of the closed record, typ verification+jwt.'),
    anchor: anchorInfo.nullable().describe('The anchor of its proof on the chain.'),
    redirectUrl: z.string().nullable().describe('Where the holder goes afterwards.'),
    createdAt: withheld(time.describe('When it was started.')),
    decidedAt: time.nullable().describe('When it was closed.'),
    expiresAt: withheld(time.describe('When the time to answer ends.')),
  },
).meta({ id: 'Verification' });
export type Verification = z.output<typeof verification>;

/** The result of a verification, for its holder. */
const holderResult = z.object({ result, reason });
export const verificationOrResult = z.union([verification, holderResult]);
export type VerificationOrResult = z.output<typeof verificationOrResult>;
