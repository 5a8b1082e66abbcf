// The responses of the public catalog (contract §2): members of the catalog's records, nested as REST has them.
import { z } from 'zod';
import { count } from '../../base/record.js';
import { groupMembers, matchMembers, resultMembers } from '../records/search.js';
import {
  acceptedCredential,
  credential,
  credentialTraction,
  dataPoint,
  issuer,
  program,
  programTraction,
  schema,
  verifier,
} from '../records/types.js';
import type { CatalogKind } from '../rows/models.js';

const namesOfIssuer = issuer.pick({ issuerId: true, name: true });
const namesOfCredential = credential.pick({ credentialId: true, name: true, category: true });
const namesOfProgram = program.pick({ programId: true, name: true });
const { verificationCount } = programTraction.shape;
const { holderCount, issuanceCount } = credentialTraction.shape;
const { verificationConditions } = acceptedCredential.shape;
const { createdAt } = schema.shape;

const issuerFacts = issuer.pick({ issuerId: true, name: true, issuerDid: true, issuerFrom: true });
const verifierFacts = verifier.pick({ verifierId: true, name: true, verifierDid: true });
const schemaFacts = schema.pick({ schemaId: true, title: true, description: true });
const issuerOf = issuerFacts.meta({ id: 'CatalogIssuerFacts' });
const verifierInfo = verifierFacts.meta({ id: 'CatalogVerifierFacts' }).describe('Its verifier.');
const dataPoints = z.array(dataPoint).describe('The fields that an issuer attests.');

const credentialRecord = credential
  .omit({ id: true, schemaVersion: true, cak: true })
  .extend({ issuer: issuerOf, schema: schemaFacts.meta({ id: 'CatalogSchemaFacts' }) });
const issuerRecord = issuer.omit({ id: true });
const verifierRecord = verifier.omit({ id: true });

/** Members that programs have in lists and in their detail. */
const programMembers = program
  .pick({ programId: true, name: true, description: true, pricingModel: true, createdAt: true })
  .extend({ verifierInfo });

/** The entry of a list and the detail, of each kind. */
export const CATALOG_RECORDS: Readonly<Record<CatalogKind, { record: z.ZodObject; detail: z.ZodObject }>> = {
  credentials: {
    record: credentialRecord.meta({ id: 'CatalogCredential' }),
    detail: credentialRecord
      .extend({
        dataPoints,
        programs: z
          .array(
            namesOfProgram.extend({ verifierName: z.string().describe('Name of its verifier.'), verificationCount }),
          )
          .describe('The most popular programs that accept it.'),
      })
      .meta({ id: 'CatalogCredentialDetail' }),
  },
  programs: {
    record: programMembers
      .extend({
        verificationCount,
        credentialCount: program.shape.credentialCount,
        acceptedCredentialTypes: z.array(z.string()).describe('Categories of the accepted credentials.'),
      })
      .meta({ id: 'CatalogProgram' }),
    detail: programMembers
      .extend({
        acceptedCredentials: z
          .array(namesOfCredential.extend({ holderCount, issuanceCount, verificationConditions }))
          .describe('The credentials that it accepts; any one of them is enough.'),
        traction: programTraction.pick({ verificationCount: true }),
      })
      .meta({ id: 'CatalogProgramDetail' }),
  },
  schemas: {
    record: schemaFacts
      .extend({
        credentialCount: schema.shape.credentialCount,
        issuerCount: schema.shape.issuerCount,
        providerCount: count.describe('The same as issuerCount, for older clients.'),
      })
      .meta({ id: 'CatalogSchema' }),
    detail: schemaFacts
      .extend({
        dataPoints,
        credentials: z
          .array(
            namesOfCredential.extend({
              issuer: issuerOf,
              traction: credentialTraction,
              createdAt: credential.shape.createdAt,
            }),
          )
          .describe('The most popular credentials built on it.'),
        createdAt,
      })
      .meta({ id: 'CatalogSchemaDetail' }),
  },
  issuers: {
    record: issuerRecord.meta({ id: 'CatalogIssuer' }),
    detail: issuerRecord
      .extend({ credentials: z.array(namesOfCredential).describe('The most popular credentials that it issues.') })
      .meta({ id: 'CatalogIssuerDetail' }),
  },
  verifiers: {
    record: verifierRecord.meta({ id: 'CatalogVerifier' }),
    detail: verifierRecord
      .extend({
        programs: z
          .array(namesOfProgram.extend({ verificationCount }))
          .describe('The most popular programs that it runs.'),
      })
      .meta({ id: 'CatalogVerifierDetail' }),
  },
};

/** A page of a list. */
export const pageOf = (entry: z.ZodType) =>
  z.object({
    current: count.describe('The number of the page, from 1.'),
    pages: count.describe('How many pages there are.'),
    size: count.describe('How many entries a page has.'),
    total: count.describe('How many entries there are.'),
    records: z.array(entry).describe('The entries of the page.'),
  });

const groupOf = (entry: z.ZodObject) => z.object(groupMembers(entry.extend(matchMembers)));

export const searchResult = z
  .object({
    credentials: groupOf(namesOfCredential.extend({ issuer: namesOfIssuer })),
    issuers: groupOf(issuer.pick({ issuerId: true, name: true, issuerDid: true })),
    programs: groupOf(namesOfProgram.extend({ verificationCount })),
    meta: z.object(resultMembers),
  })
  .meta({ id: 'SearchResult' });
