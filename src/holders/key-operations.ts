// What holders do with backups of their keys and with second factors (docs/sdk.md).
import { operationsOf } from '../http/routes/operation.js';
import type { KeyBackups } from './key-backups.js';
import {
  type KeyBackup,
  keyBackup,
  mfaOptions,
  mfaOptionsPayload,
  proveMfaInput,
  proveMfaPayload,
  putKeyBackupInput,
  putKeyBackupPayload,
} from './key-types.js';
import type { SecondFactor } from './second-factor.service.js';

const { query, mutation } = operationsOf<{ keyBackups: KeyBackups; secondFactor: SecondFactor }>();

const PATH = '/v1/holders/me/key-backup';
const withEtag = (body: KeyBackup) => ({ body, headers: { etag: `"${body.etag}"` } });

export const keyOperations = [
  query('keyBackup', "The holder's own key backup.", {
    callers: 'holder',
    output: keyBackup,
    run: ({ keyBackups }, { caller }) => keyBackups.get(caller),
    rest: {
      method: 'GET',
      path: PATH,
      summary: "The backup of the holder's keys, which only the holder can open",
      respond: withEtag,
      fails: { 404: 'There is none.' },
    },
  }),

  mutation('putKeyBackup', 'Writes the backup of the holder\'s keys, by `ifNoneMatch: "*"` or `ifMatch`. Holders.', {
    callers: 'holder',
    audit: 'holder',
    input: putKeyBackupInput,
    output: keyBackup,
    run: ({ keyBackups }, { caller, input }) => keyBackups.put(caller, input),
    rest: {
      method: 'PUT',
      path: PATH,
      headers: { 'if-match': 'ifMatch', 'if-none-match': 'ifNoneMatch' },
      summary: "Write the backup of the holder's keys: the first with if-none-match: *, later ones with if-match",
      respond: withEtag,
      fails: { 412: 'Another backup is stored, or the request names neither.' },
    },
    graphql: {
      argument: 'The backup.',
      payload: putKeyBackupPayload,
      show: (written) => ({ keyBackup: written }),
    },
  }),

  mutation('mfaOptions', "The holder's second factors, and what a passkey is asked. Holders.", {
    callers: 'holder',
    audit: 'holder',
    output: mfaOptions,
    run: ({ secondFactor }, { caller }) => secondFactor.options(caller),
    rest: {
      method: 'POST',
      path: '/v1/holders/me/mfa/options',
      summary: "The holder's second factors, and what a passkey is asked",
    },
    graphql: { payload: mfaOptionsPayload, show: (options) => ({ mfaOptions: options }) },
  }),

  mutation('proveMfa', 'Proves a second factor, which counts in this session for 15 minutes. Holders.', {
    callers: 'holder',
    audit: 'holder',
    input: proveMfaInput,
    run: ({ secondFactor }, { caller, input }) => secondFactor.prove(caller, input),
    rest: {
      method: 'POST',
      path: '/v1/holders/me/mfa',
      summary: 'Prove a second factor, which counts in this session for 15 minutes',
      fails: { 409: 'The holder has no recovery code.' },
    },
    graphql: { argument: 'The proof.', payload: proveMfaPayload, show: () => ({ proved: true }) },
  }),
];
