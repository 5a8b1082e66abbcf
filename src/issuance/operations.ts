// Issuing, revoking and reading issuances: the fields of GraphQL and the routes that do the same (contract §4 to §7).
import { badInput } from '../base/errors.js';
import { operationsOf } from '../http/routes/operation.js';
import { STORE_BODY_LIMIT, storeCredentialInput } from '../storage/storage.service.js';
import { type Stored, storeCredentialPayload, stored } from '../storage/types.js';
import type { Idempotency } from '../store/idempotency.js';
import type { DirectIssuance } from './direct.service.js';
import {
  availableCredentialsInput,
  credentialStatusInput,
  issuancesInput,
  issueOnBehalfInput,
  revokeCredentialInput,
} from './inputs.js';
import type { IssuanceService } from './issuance.service.js';
import type { IssuerHosted } from './issuer-hosted.js';
import type { IssuanceList } from './list.service.js';
import { withRecipient } from './request.js';
import type { RevocationService } from './revocation.js';
import type { StatusService } from './status.service.js';
import {
  availableCredentials,
  credentialStatus,
  type IssuedCredential,
  issuance,
  issuedCredential,
  issueOnBehalfPayload,
  revokeCredentialPayload,
} from './types.js';

export interface IssuanceOperationServices {
  direct: DirectIssuance;
  issuance: IssuanceService;
  issuances: IssuanceList;
  issuerHosted: IssuerHosted;
  revocation: RevocationService;
  status: StatusService;
  idempotency: Idempotency;
}

const { query, listing, mutation } = operationsOf<IssuanceOperationServices>();

const partnerOperations = [
  mutation(
    'issueOnBehalf',
    'Issues a credential for a managed issuer, encrypted to its holder. For partners with the scope issue.',
    {
      callers: 'partner',
      audit: 'issuance.issue',
      input: issueOnBehalfInput,
      output: issuedCredential,
      run: ({ idempotency, issuance }, { caller, input: { idempotencyKey: key, ...body } }) =>
        idempotency.run<IssuedCredential>(
          { caller, route: 'issue-on-behalf', key, body: withRecipient(caller, body) },
          (remember) => issuance.issueOnBehalf(caller, body, { record: remember }),
        ),
      rest: {
        method: 'POST',
        path: '/v1/credentials/issue-on-behalf',
        headers: { 'idempotency-key': 'idempotencyKey' },
        summary: 'Issue a credential for a managed issuer, encrypted to its holder',
        fails: {
          404: 'The issuer, the credential or the holder is unknown.',
          409: 'The holder declined the partner, the window is closed, or the maximum is reached.',
        },
      },
      graphql: {
        argument: 'What to issue.',
        payload: issueOnBehalfPayload,
        show: (issued) => ({ issuance: issued }),
      },
    },
  ),

  mutation(
    'storeCredential',
    'Stores a credential that its issuer signed and encrypted to the holder. For partners with the scope issue.',
    {
      callers: 'partner',
      audit: 'package.store',
      input: storeCredentialInput,
      output: stored,
      run: ({ idempotency, direct }, { caller, input: { idempotencyKey: key, ...body } }) =>
        idempotency.run<Stored>({ caller, route: 'dstorage/vcs', key, body }, () => direct.store(caller, body)),
      rest: {
        method: 'POST',
        path: '/v1/dstorage/vcs',
        headers: { 'idempotency-key': 'idempotencyKey' },
        summary: 'Store a credential that its issuer signed and encrypted to the holder',
        status: 201,
        bodyLimit: STORE_BODY_LIMIT,
        fails: {
          404: 'There is no such holder, schema, issuer or credential.',
          409: 'The externalId belongs to another package, or the claim is refused (contract §12).',
        },
      },
      graphql: {
        argument: 'The package to store.',
        payload: storeCredentialPayload,
        show: (package_) => ({ stored: package_ }),
      },
    },
  ),
];

export const issuanceOperations = [
  ...partnerOperations,

  // REST has one route for partners and one for operators.
  mutation(
    'revokeCredential',
    'Revokes an issuance. It cannot be undone. Partners with the scope issue can revoke their own, the operator any.',
    {
      callers: ['partner', 'operator'],
      audit: 'issuance.revoke',
      input: revokeCredentialInput,
      output: revokeCredentialPayload,
      async run({ revocation }, { caller, input: { coreClaimHash, nonce } }) {
        if (coreClaimHash !== undefined) return revocation.revoke(caller, { coreClaimHash });
        if (nonce !== undefined && caller.kind === 'operator') return revocation.revoke(caller, { nonce });
        throw badInput('Give "coreClaimHash" (operators may give "nonce").', 'coreClaimHash');
      },
      graphql: { argument: 'The issuance to revoke.' },
    },
  ),

  // REST refuses unknown hashes, and has dates in another form.
  query('credentialStatus', 'The public status of an issuance; null when there is none with this hash.', {
    callers: 'public',
    input: credentialStatusInput,
    output: credentialStatus.nullable(),
    run: ({ status }, { input }) => status.find(input.coreClaimHash),
  }),

  listing('issuances', 'Issuances, newest first. Partners and holders get their own, the operator all.', {
    // The service refuses callers that have no issuances.
    callers: 'public',
    input: issuancesInput,
    output: issuance,
    listing: { what: 'issuances', most: 100, size: 10 },
    run: ({ issuances }, { caller, input }) => issuances.page(caller, input),
    // Its total is counted for each request.
    graphql: { extensions: { counted: true } },
  }),

  query('availableCredentials', 'Credentials that issuers offer to the holder. Needs a session token.', {
    callers: 'holder',
    input: availableCredentialsInput,
    output: availableCredentials,
    run: ({ issuerHosted }, { caller, input }) => issuerHosted.available(caller, input),
    rest: {
      method: 'GET',
      path: '/v1/credentials/available',
      summary: 'Credentials that issuers offer to the holder, encrypted to the holder',
      fails: { 404: 'There is no such issuer, or it offers nothing.' },
    },
  }),
];
