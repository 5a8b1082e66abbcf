// The rules that an issuance must pass before anything is signed (contract §5, §12): partner, issuer, credential and window.
import type { PartnerCaller } from '../base/callers/caller.js';
import { badInput, DomainError, type ErrorCode } from '../base/errors.js';
import type { Rule, Rules } from '../base/callers/rules.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { PartnerRow } from '../partners/models.js';
import type { IssuanceModels } from './models.js';

/** The facts that the rules check. Null: the thing does not exist; undefined: the request does not name one. */
export interface AdmissionFacts {
  partner: PartnerRow | undefined;
  issuerDid: string | undefined;
  issuer: IssuerRow | null | undefined;
  credential: CredentialRow | null | undefined;
  now: Date;
}

export interface AdmittedFacts extends AdmissionFacts {
  issuer: IssuerRow;
  credential: CredentialRow;
}

export interface AdmissionServices {
  catalog: IssuingCatalog;
  partners: PartnerDirectory;
}

/** Loads the facts for one issuance. `issuer`: a live one that the request has just read; it is read if it is not the one with this DID. */
export async function admissionFacts(
  { catalog, partners }: AdmissionServices,
  partnerId: PartnerCaller['partnerId'] | undefined,
  { issuerDid, credentialId, issuer }: { issuerDid?: string; credentialId?: string; issuer?: IssuerRow },
  now: Date,
): Promise<AdmissionFacts> {
  const [partner, named, credential] = await Promise.all([
    partnerId === undefined ? undefined : partners.find(partnerId),
    issuerDid === undefined || issuer?.issuerDid === issuerDid ? issuer : catalog.issuerByDid(issuerDid),
    credentialId === undefined ? undefined : catalog.credential(credentialId),
  ]);
  return { partner, issuerDid, issuer: named, credential, now };
}

type Fact = AdmissionFacts;

const noPartner = ({ partner }: Fact) => (partner === undefined ? 'The partner is not known.' : undefined);
const unnamedIssuer = ({ issuerDid }: Fact) => (issuerDid === undefined ? 'No issuerDid is given.' : undefined);
const noIssuer = (facts: Fact) =>
  unnamedIssuer(facts) ?? (facts.issuer === null ? 'There is no such issuer.' : undefined);
const unnamedCredential = ({ credential }: Fact) =>
  credential === undefined ? 'No credentialId is given.' : undefined;
const noCredential = (facts: Fact) =>
  unnamedCredential(facts) ?? (facts.credential === null ? 'There is no such credential.' : undefined);

const refused = (code: ErrorCode, message: string, field?: string): DomainError =>
  new DomainError(code, message, field === undefined ? {} : { field });

const isThere = (field: string): Rule<Fact> => ({
  rule: 'issuer.exists',
  allows: 'The issuer is in the catalog.',
  mend: 'Give the issuerDid of a live issuer of the catalog.',
  unknown: unnamedIssuer,
  refusal: ({ issuer }) => (issuer ? undefined : refused('NOT_FOUND', 'No issuer has this issuerDid.', field)),
});

const mayAct = (field: string): Rule<Fact> => ({
  rule: 'partner.issuerDids',
  allows: 'The partner may act for the issuer.',
  mend: "Have the operator add the issuerDid to the partner's issuerDids.",
  unknown: (facts) => noPartner(facts) ?? unnamedIssuer(facts),
  refusal: ({ partner, issuerDid = '' }) =>
    partner?.issuerDids.includes(issuerDid)
      ? undefined
      : refused('FORBIDDEN', 'This partner may not act for this issuer.', field),
});

const windowRule: Rule<Fact> = {
  rule: 'credential.window',
  allows: 'The credential can be issued now.',
  mend: "Wait for the window, or have the operator change the credential's accessibleStart and accessibleEnd.",
  unknown: noCredential,
  refusal({ credential, now }) {
    const { accessibleStart, accessibleEnd } = credential ?? {};
    if (accessibleStart && now < accessibleStart)
      return refused('CONFLICT', `This credential is issued from ${accessibleStart.toISOString()} on.`);
    if (accessibleEnd && now >= accessibleEnd)
      return refused('CONFLICT', `This credential was issued until ${accessibleEnd.toISOString()}.`);
    return undefined;
  },
};

/** The rules for issuing on behalf of a managed issuer. */
export const ON_BEHALF_RULES: Rules<AdmissionFacts, AdmittedFacts> = [
  {
    rule: 'partner.issueOnBehalf',
    allows: 'Issuing on behalf is on for the partner.',
    mend: 'Have the operator set issueOnBehalf of the partner.',
    unknown: noPartner,
    refusal: ({ partner }) =>
      partner?.issueOnBehalf ? undefined : refused('FORBIDDEN', 'Issuing on behalf is off for this partner.'),
  },
  isThere('issuerDid'),
  mayAct('issuerDid'),
  {
    rule: 'issuer.managed',
    allows: 'The gateway holds the keys of the issuer.',
    mend: 'Sign with the key of the issuer, and store the credential through dstorage/vcs.',
    unknown: noIssuer,
    refusal: ({ issuer }) =>
      issuer?.managed
        ? undefined
        : refused(
            'FORBIDDEN',
            'This issuer signs with its own key; store what it signed through dstorage/vcs.',
            'issuerDid',
          ),
  },
  {
    rule: 'credential.issuer',
    allows: 'The credential is one of the issuer.',
    mend: 'Give the credentialId of a live credential of the issuer.',
    unknown: (facts) => noIssuer(facts) ?? unnamedCredential(facts),
    refusal: ({ issuer, credential }) =>
      issuer && credential?.issuerId === issuer._id
        ? undefined
        : refused('NOT_FOUND', 'This issuer has no credential with this credentialId.', 'credentialId'),
  },
  windowRule,
];

const OF_CLAIM = 'claim.issuerDid';

/** The rules for storing a claim that its issuer signed itself, up to the credential. */
export const CLAIM_ADMISSION_RULES: Rules<AdmissionFacts, AdmittedFacts> = [
  isThere(OF_CLAIM),
  mayAct(OF_CLAIM),
  {
    rule: 'issuer.managed',
    allows: 'The issuer holds its own keys.',
    mend: 'Issue on behalf of this issuer instead.',
    unknown: noIssuer,
    refusal: ({ issuer }) =>
      issuer?.managed
        ? refused('CONFLICT', 'We hold the keys of this issuer: its credentials are issued on behalf.', OF_CLAIM)
        : undefined,
  },
  {
    rule: 'credential.exists',
    allows: 'The credential is in the catalog.',
    mend: 'Give the credentialId of a live credential of the catalog.',
    unknown: unnamedCredential,
    refusal: ({ credential }) =>
      credential ? undefined : refused('NOT_FOUND', 'No credential has this credentialId.', 'claim.credentialId'),
  },
  {
    rule: 'credential.issuer',
    allows: 'The credential is one of the issuer.',
    mend: 'Give a credential of this issuer.',
    unknown: (facts) => noIssuer(facts) ?? noCredential(facts),
    refusal: ({ issuer, credential }) =>
      credential?.issuerId === issuer?._id
        ? undefined
        : badInput('"claim.credentialId" is a credential of another issuer.', 'claim.credentialId'),
  },
];

/** The rule of the window, for claims. It is checked after the members of their package. */
export const WINDOW_RULES: Rules<AdmissionFacts> = [windowRule];

/** A credential's maximum, and how many were issued. */
export interface MaximumFacts {
  maximum: number | null | undefined;
  issued: number;
}

/** The facts of a credential's maximum, read outside of a transaction: a concurrent issuance may reach it. */
export async function maximumFacts(
  { quotas, issuances }: Pick<IssuanceModels, 'quotas' | 'issuances'>,
  { _id: credentialId, maximumIssuance: maximum }: Pick<CredentialRow, '_id' | 'maximumIssuance'>,
): Promise<MaximumFacts> {
  if (maximum === null) return { maximum, issued: 0 };
  const quota = await quotas.findById(credentialId).lean();
  const issued = quota?.issued ?? (await issuances.countDocuments({ credentialId }, { limit: Math.max(1, maximum) }));
  return { maximum, issued };
}

export const MAXIMUM_RULES: Rules<MaximumFacts> = [
  {
    rule: 'credential.maximum',
    allows: 'The maximum of issuances is not reached.',
    mend: "Have the operator raise the credential's maximumIssuance.",
    unknown: ({ maximum }) => (maximum === undefined ? 'No credential is given.' : undefined),
    refusal: ({ maximum, issued }) =>
      typeof maximum === 'number' && issued >= maximum
        ? refused('CONFLICT', `The maximum of ${maximum} issuances of this credential is reached.`)
        : undefined,
  },
];
