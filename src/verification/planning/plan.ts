// Plans of verifications (contract §17): which accepted credentials a holder has, in which state, and which it can get.
// The gateway does not know their values, so the result is YES only for a credential without conditions.
import type { HolderCaller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { CredentialRow } from '../../catalog/rows/models.js';
import type { ProgramCatalog } from '../../catalog/reading/program-terms.service.js';
import type { Holding, Holdings } from '../../issuance/holdings.service.js';
import { type PinnedCredential, type PinnedProgram, pinnedOf } from '../proofs/program-versions.js';
import { whyUnprovable } from '../request/request.js';
import type { PlanResult, PlanState, VerificationPlan } from './types.js';

export interface PlanOptions {
  catalog: IssuingCatalog;
  programs: ProgramCatalog;
  holdings: Holdings;
  clock(): number;
}

/** Returns the state of a credential. */
type PlanStateOf = (credential: PinnedCredential) => PlanState;

/** Most claims of a holder that are read. */
const MAX_HOLDINGS = 1_000;

/** Shows holders which accepted credentials of a program they have or can get. */
export class VerificationPlans {
  constructor(private readonly options: PlanOptions) {}

  /** The plan for a list of credentials. @throws DomainError NOT_FOUND. */
  async ofCredentials(programId: string, holding: readonly string[]): Promise<VerificationPlan> {
    const held = new Set(holding);
    return this.#plan(
      programId,
      async () =>
        ({ credentialId }) =>
          held.has(credentialId) ? 'HELD' : 'NOT_HELD',
    );
  }

  /** The plan of a holder, by its own credentials. @throws DomainError NOT_FOUND. */
  async ofHolder({ holderId }: HolderCaller, programId: string): Promise<VerificationPlan> {
    return this.#plan(programId, (pinned) => this.#statesOf(holderId, pinned));
  }

  async #plan(programId: string, statesOf: (pinned: PinnedProgram) => Promise<PlanStateOf>): Promise<VerificationPlan> {
    const terms = await this.options.programs.terms(programId);
    if (terms === null) throw new DomainError('NOT_FOUND', 'No program has this programId.', { field: 'programId' });
    const pinned = pinnedOf(terms);
    const unprovable = new Set(terms.unprovable.map(({ credentialId }) => credentialId));
    const stateOf = await statesOf(pinned);
    const obtainable = await this.#obtainable(pinned.accepted.map(({ credentialId }) => credentialId));
    const planned = pinned.accepted.map((credential) => ({
      credentialId: credential.credentialId,
      state: unprovable.has(credential.credentialId) ? ('UNPROVABLE' as const) : stateOf(credential),
      obtainable: obtainable.has(credential.credentialId),
      isFree: credential.conditions?.length === 0,
    }));
    const credentials = planned.map(({ isFree: _isFree, ...credential }) => credential);
    return { programId, result: resultOf(planned), credentials };
  }

  async #statesOf(holderId: string, pinned: PinnedProgram): Promise<PlanStateOf> {
    const { holdings, catalog, clock } = this.options;
    const ids = pinned.accepted.map(({ credentialId }) => credentialId);
    const rows = await holdings.ofHolder(holderId, ids, MAX_HOLDINGS);
    const versions = await catalog.schemaVersions(
      rows.map(({ schemaId, schemaVersion: version }) => ({ schemaId, version })),
    );
    const now = clock();
    const isProvable = (row: Holding): boolean => {
      const { dataPoints = [] } = versions.get(`${row.schemaId}@${row.schemaVersion}`) ?? {};
      return whyUnprovable(pinned, row, dataPoints, now) === undefined;
    };
    return ({ credentialId }) =>
      bestOf(rows.filter((row) => row.credentialId === credentialId).map((row) => stateOf(row, isProvable(row))));
  }

  /** The credentials that can be issued now: their window is open, and their maximum is not reached. */
  async #obtainable(credentialIds: readonly string[]): Promise<Set<string>> {
    const now = this.options.clock();
    const rows = await this.options.catalog.credentials(credentialIds);
    const open = rows.filter((row) => isOpen(row, now));
    const spent = await this.options.holdings.spent(open);
    return new Set(open.map(({ _id }) => _id).filter((id) => !spent.has(id)));
  }
}

const STATES: Readonly<Record<Holding['vcStatus'], PlanState>> = {
  ONCHAIN: 'HELD',
  WAIT_ONCHAIN: 'PENDING',
  EXPIRE: 'EXPIRED',
  WAIT_REMOVE: 'REVOKING',
  REMOVE: 'REVOKED',
};

/** The state of a claim; a live one that cannot prove the conditions is UNPROVABLE. */
function stateOf({ vcStatus }: Holding, isProvable: boolean): PlanState {
  const state = STATES[vcStatus];
  return isProvable || (state !== 'HELD' && state !== 'PENDING') ? state : 'UNPROVABLE';
}

/** Best state first, in the order of the outcomes that a verification would have (contract §15). */
const ORDER: readonly PlanState[] = ['HELD', 'PENDING', 'UNPROVABLE', 'EXPIRED', 'REVOKING', 'REVOKED'];

const bestOf = (states: readonly PlanState[]): PlanState => ORDER.find((state) => states.includes(state)) ?? 'NOT_HELD';

const isOpen = ({ accessibleStart, accessibleEnd }: CredentialRow, now: number): boolean =>
  (accessibleStart === null || accessibleStart.getTime() <= now) &&
  (accessibleEnd === null || accessibleEnd.getTime() > now);

function resultOf(planned: readonly { state: PlanState; isFree: boolean }[]): PlanResult {
  if (planned.some(({ state, isFree }) => state === 'HELD' && isFree)) return 'YES';
  return planned.some(({ state }) => state === 'HELD' || state === 'PENDING') ? 'MAYBE' : 'NO';
}
