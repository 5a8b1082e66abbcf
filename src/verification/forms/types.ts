// Results of verification other than its record (contract §12, §14): the request to a holder, checks of proofs, and keys of issuers.
import { z } from 'zod';
import { count, hash, record, shownAs, sized, time, timeText } from '../../base/record.js';
import { vcStatus } from '../../issuance/types.js';
import { conditions, verificationId } from './members.js';
import { verification, verificationResult } from './verification.js';

const verificationWallet = record('VerificationWallet', 'What a partner passes on to a wallet.', {
  uri: z.string().optional().describe('The address that the wallet opens, as a link or a QR code.'),
  protocol: z.string().optional().describe('For dc_api: the protocol.'),
  request: shownAs('JSON', z.object({ request: z.string() }))
    .optional()
    .describe('For dc_api: the signed request, as the API takes it as `data`.'),
});
export type VerificationWallet = z.output<typeof verificationWallet>;

const wallet = verificationWallet.optional().describe('What to pass on to the wallet; only for a start with `wallet`.');
export const startedVerification = verification.extend({ wallet }).meta({ id: 'StartedVerification' });

export const startVerificationPayload = record('StartVerificationPayload', 'Response of startVerification.', {
  verification: verification.describe('The verification.'),
  wallet,
  isNew: z.boolean().describe('False: the holder already had this one, not answered yet.'),
});

export const answerFromWalletPayload = record('AnswerFromWalletPayload', 'Response of answerFromWallet.', {
  verification: verification.describe('The verification, with its result.'),
});

export const answerVerificationPayload = record('AnswerVerificationPayload', 'Response of answerVerification.', {
  result: verificationResult.describe('Its current result.'),
});
export type Answered = z.output<typeof answerVerificationPayload>;

export const checkedProof = record('CheckProofPayload', 'What a presentation says, and whether its proof is valid.', {
  valid: z
    .boolean()
    .describe('Whether the proof is mathematically correct; whether it counts is in the record and the receipt.'),
  partnerId: z.string().describe('Id of the partner that started the verification.'),
  verificationId: z.string().describe('The verification.'),
  programId: z.string().describe('The program.'),
  programVersion: z.string().describe('Its version.'),
  credentialId: z.string().describe('The credential.'),
  now: shownAs('DateTime', z.string()).describe('The time from which its relative dates count.'),
}).meta({ id: 'CheckedProof' });
export type CheckedProof = z.output<typeof checkedProof>;

/** The most accepted credentials of a program, and the most claims in a list. */
const MAX_ROWS = 100;

const accumulator = z.object({
  field: z.string().describe('The field with the list.'),
  publicKey: z.string().describe('The key that witnesses are checked with.'),
  accumulated: z.string().describe('The accumulated values.'),
});
const accumulatorWithWitnesses = accumulator.extend({
  witnesses: z.array(z.string()).describe('One for each value, in the order of the list.'),
});
const accumulatorsOf = <T extends z.ZodType>(each: T) =>
  shownAs('JSON', z.array(each)).describe('Accumulators of the conditions with lists.');

const namedField = record('NamedField', 'A field that conditions name.', {
  name: z.string().describe('Its name, relative to `credentialSubject`; nested names have dots.'),
  title: z.string().describe('Its title in the schema.'),
});

const acceptedProof = record('AcceptedProof', 'What must be proven about an accepted credential.', {
  credentialId: z.string().describe('Which credential.'),
  name: z.string().describe('Its name.'),
  issuerName: z.string().describe('Name of its issuer.'),
  fields: z.array(namedField).describe('The fields that the conditions name.'),
  conditions,
  accumulators: accumulatorsOf(accumulatorWithWitnesses),
});
export type AcceptedProof = z.output<typeof acceptedProof>;

const verificationProgram = record('VerificationProgram', 'The program, and whose it is.', {
  name: z.string().describe('Name of the program.'),
  verifierName: z.string().describe('Name of the verifier.'),
  verifierDid: z.string().describe('Decentralized identifier of the verifier.'),
  cak: z.boolean().describe('Whether it also asks for the compliance access key.'),
});

const candidate = record('VerificationCandidate', 'A claim of the holder that may answer.', {
  credentialId: z.string().describe('Id of the credential.'),
  coreClaimHash: hash.describe('Hash of the claim.'),
  schemaVersion: count.describe('The schema version that it was issued under.'),
  storagePath: z.string().nullable().describe('Where it is stored; null for a claim that its issuer gave to a wallet.'),
  vcStatus: shownAs('String', vcStatus.describe('Its status.')),
  provable: z.boolean().describe('Whether the conditions can be proven of this claim.'),
  why: z.string().optional().describe('If not provable: missing, type, points, issuer, conditions or package.'),
});
export type Candidate = z.output<typeof candidate>;

const challenge = z.object({
  verificationId: verificationId.describe('The verification.'),
  nonce: z.string().describe('32 random bytes, base64url.'),
  now: z.iso.datetime().describe('The time from which relative dates count.'),
  partnerId: z.guid().describe('The partner.'),
  programId: z.string().describe('The program.'),
  programVersion: hash.describe('Its version.'),
  expiresAt: z.iso.datetime().describe('Until when the proof can be sent.'),
});

export const verificationRequest = record('VerificationRequest', 'What a holder is asked.', {
  challenge: shownAs('JSON', challenge).describe('What the proof is bound to, and until when it can be sent.'),
  redirectUrl: z.string().nullable().describe('Where the holder goes afterwards.'),
  program: verificationProgram.describe('The program.'),
  accepted: sized(MAX_ROWS, z.array(acceptedProof)).describe('What is accepted; any one of them is enough.'),
  candidates: sized(MAX_ROWS, z.array(candidate)).describe(
    "The holder's own claims of these credentials, live ones first.",
  ),
}).meta({ id: 'VerificationRequest' });
export type VerificationRequest = z.output<typeof verificationRequest>;

const proofRequestCredential = record('ProofRequestCredential', 'What a program asks of a credential.', {
  credentialId: z.string().describe('Which credential.'),
  issuerId: z.string().describe('Id of its issuer.'),
  issuerDid: z.string().describe('DID of its issuer.'),
  conditions,
  // Without witnesses: these are created when a holder first needs them.
  accumulators: accumulatorsOf(accumulator),
});

export const proofRequest = record('ProofRequest', 'What a program version asks for at a given time.', {
  programId: z.string().describe('The program.'),
  programVersion: hash.describe('Its version.'),
  now: timeText.describe('The time from which relative dates count.'),
  accepted: sized(MAX_ROWS, z.array(proofRequestCredential)).describe('What is accepted.'),
}).meta({ id: 'ProofRequest' });
export type ProofRequest = z.output<typeof proofRequest>;

export const issuerZkKeys = z
  .object({
    issuerDid: z.string().describe('DID of the issuer.'),
    keys: z
      .array(
        z.object({
          kid: z.string().describe('Its id.'),
          suite: z.string().describe('The signature suite.'),
          publicKeyMultibase: z.string().describe('The key, z-base58.'),
          createdAt: time.describe('When it was created.'),
        }),
      )
      .describe('The valid keys, newest first.'),
    proof: z.string().nullable().describe('A JWS by the DID key of a managed issuer.'),
  })
  .meta({ id: 'IssuerZkKeys' });
export type IssuerZkKeys = z.output<typeof issuerZkKeys>;
