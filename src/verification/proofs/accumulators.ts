// Accumulators of the lists in conditions (contract §13): created on demand, one for each list of a program version, by
// a worker that discards the key.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { ignoreDuplicate } from '../../base/mongodb/duplicate-key.js';
import type { FieldForm } from '../../conditions/index.js';
import type { ZkThreads } from '../../keys/zk/threads.js';
import type { Accumulator } from '../../zk/index.js';
import type { AccumulatorRow, VerificationModels } from '../records/models.js';
import { verificationOff } from './verifier.js';

/** Conditions of a credential, in normal form. */
export interface CredentialForms {
  credentialId: string;
  forms: readonly FieldForm[];
}

/** Accumulators by credential. */
export type AccumulatorsOf = ReadonlyMap<string, Accumulator[]>;

interface List {
  _id: string;
  credentialId: string;
  form: FieldForm;
}

/** Makes and finds accumulators. */
export class Accumulators {
  constructor(
    private readonly models: Pick<VerificationModels, 'accumulators'>,
    private readonly threads: ZkThreads | undefined,
  ) {}

  /** The accumulators of all lists; missing ones are created. @throws DomainError VERIFIER_BUSY, VERIFICATION_OFF. */
  async ensure(programVersion: string, credentials: readonly CredentialForms[]): Promise<AccumulatorsOf> {
    const lists = listsOf(programVersion, credentials);
    const rows = await this.#rows(lists);
    const missing = lists.filter(({ _id }) => !rows.has(_id));
    if (missing.length === 0) return byCredential(lists, rows);
    for (const list of missing) await this.#make(list);
    return byCredential(lists, await this.#rows(lists));
  }

  /** The existing accumulators, without witnesses, for verifiers. */
  async read(programVersion: string, credentials: readonly CredentialForms[]): Promise<AccumulatorsOf> {
    const lists = listsOf(programVersion, credentials);
    return byCredential(lists, await this.#rows(lists, { witnesses: 0 }));
  }

  async #rows(lists: readonly List[], projection: object = {}): Promise<Map<string, AccumulatorRow>> {
    if (lists.length === 0) return new Map();
    const filter = { _id: { $in: lists.map(({ _id }) => _id) } };
    const rows = await this.models.accumulators.find(filter, projection).lean<AccumulatorRow[]>();
    return new Map(rows.map((row) => [row._id, row]));
  }

  /** If two processes create the same one at the same time, the first is stored, and all use it. */
  async #make({ _id, form }: List): Promise<void> {
    const reply = await this.threads?.ask(() => ({ ask: 'accumulators', conditions: [form] }));
    if (reply?.is !== 'accumulators') throw verificationOff();
    const [accumulator] = reply.accumulators;
    const first = this.models.accumulators.updateOne({ _id }, { $setOnInsert: accumulator }, { upsert: true });
    await first.catch(ignoreDuplicate);
  }
}

function listsOf(programVersion: string, credentials: readonly CredentialForms[]): List[] {
  return credentials.flatMap(({ credentialId, forms }) =>
    forms
      .filter((form) => form.in !== undefined)
      .map((form) => {
        // Relative dates can make a condition's list differ from day to day, so the list is part of the id.
        const list = createHash('sha256').update(canonicalize(form) ?? '');
        return { _id: `${programVersion} ${credentialId} ${list.digest('hex')}`, credentialId, form };
      }),
  );
}

function byCredential(lists: readonly List[], rows: ReadonlyMap<string, AccumulatorRow>): AccumulatorsOf {
  const accumulators = new Map<string, Accumulator[]>();
  for (const { _id, credentialId } of lists) {
    const row = rows.get(_id);
    if (row === undefined) continue;
    const { field, publicKey, accumulated, witnesses = [] } = row;
    const others = accumulators.get(credentialId) ?? [];
    accumulators.set(credentialId, [...others, { field, publicKey, accumulated, witnesses }]);
  }
  return accumulators;
}
