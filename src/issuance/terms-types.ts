// The terms of a credential, which a holder sees before it accepts the credential.
import { z } from 'zod';
import { choice, input, record } from '../base/record.js';
import { dataPoint } from '../catalog/records/types.js';

const issuing = choice('Issuing', 'How a credential is issued.', {
  managed: 'On behalf of its issuer, whose key the gateway holds.',
  hosted: 'By the back end of its issuer.',
  none: 'Not at the request of holders or partners.',
});

const consent = choice('PartnerConsent', "A holder's decision about a partner.", {
  accepted: 'The partner may issue to the holder.',
  declined: 'The partner may not issue to the holder.',
});

const termsDataPoint = record('TermsDataPoint', 'A data point of a credential.', dataPoint.shape);

export const credentialTermsInput = input('CredentialTermsInput', 'A credential.', {
  credentialId: z.string().min(1).max(500).describe('Which credential.'),
});

export const credentialTerms = record('CredentialTerms', 'What a holder is told of a credential before it takes it.', {
  credentialId: z.string().describe('Its id.'),
  name: z.string().describe('Its name.'),
  issuerId: z.string().describe('Id of its issuer.'),
  issuerDid: z.string().describe('DID of its issuer.'),
  issuerName: z.string().describe('Name of its issuer.'),
  schemaId: z.string().describe('Id of its schema.'),
  dataPoints: z.array(termsDataPoint).describe('The data points of the schema version that it is issued under.'),
  issuing: issuing.describe('How it is issued.'),
  cak: z.boolean().describe('Whether it has a compliance access key.'),
  consent: consent.nullable().describe("The holder's decision about the partner of its session; null: none yet."),
}).meta({ id: 'CredentialTerms' });
export type CredentialTerms = z.output<typeof credentialTerms>;
