// Checks each command that a gateway in this process sends: against the rules of a MongoDB server, the indexes, and the committed table.
import mongoose from 'mongoose';
import { apiFaults } from './api-rules.js';
import { hasIndex, type Index } from './index-rules.js';
import { readsOf } from './reads.js';
import { isTest, sender } from './sender.js';
import { serverFacts } from './server-facts.js';
import { sketchOf } from './sketch.js';
import { lineOf, recordLine, Table } from './table.js';
import { transactionFaults } from './transaction-rules.js';
import { keyOf, whyBounded } from './unindexed.js';
import type { Doc } from './values.js';

/** If set, missing lines are added to the table instead of failing the test. */
export const RECORDS = process.env.RECORD_SENT_COMMANDS === '1';

/** The faults that one process has found. */
export class Judge {
  readonly #table = Table.read();
  /** Sketches of the commands that were checked already, so that each fault is reported once. */
  readonly #judged = new Set<string>();
  #faults: string[] = [];
  /** Commands seen. */
  count = 0;

  /** Called while the command is sent, so that the call stack contains the sender. */
  judge(command: Doc): void {
    this.count += 1;
    const sketch = sketchOf(command);
    if (this.#judged.has(sketch)) return;
    const faults = this.#faultsOf(command);
    // While lines are recorded, the sender is always determined: otherwise a test that sends a command first would hide
    // that the gateway sends it, too.
    const file = faults.length === 0 && !RECORDS ? undefined : sender();
    if (isTest(file)) return;
    this.#judged.add(sketch);
    if (faults.length > 0)
      this.#faults.push(`${describe(command)}\n  sent by ${file ?? 'an unknown file'}: ${faults.join('; ')}`);
  }

  #faultsOf(command: Doc): string[] {
    const faults = serverFacts ? [...apiFaults(serverFacts, command), ...transactionFaults(serverFacts, command)] : [];
    const unindexed = readsOf(command).filter((read) => !hasIndex(read, indexesOf(read.collection)));
    for (const read of unindexed) {
      if (whyBounded(read) === undefined)
        faults.push(
          `it has no index to begin at, and unindexed.ts has no entry \`${keyOf(read)}\` that says why it is bounded`,
        );
    }
    const line = lineOf(command);
    const lack = this.#table.lacks(line);
    if (line === undefined || lack === undefined) return faults;
    if (!RECORDS) return [...faults, `sent-commands.txt has ${lack}; RECORD_SENT_COMMANDS=1 adds it`];
    if (!isTest(sender())) {
      this.#table.add(line);
      recordLine(line);
    }
    return faults;
  }

  /** The faults since the last call. */
  takeFaults(): string[] {
    const faults = this.#faults;
    this.#faults = [];
    return faults;
  }
}

/** The key of the judge in the process: all test files of a process share one driver. */
const JUDGE = Symbol.for('credential-gateway.commands');
const shared = globalThis as { [JUDGE]?: Judge };

/** The judge of this process. `listen` is called with a new one. */
export function judgeOfProcess(listen: (judge: Judge) => void = () => {}): Judge {
  if (shared[JUDGE] === undefined) {
    shared[JUDGE] = new Judge();
    listen(shared[JUDGE]);
  }
  return shared[JUDGE];
}

/** The indexes that the models of this collection build. */
function indexesOf(collection: string): Index[] {
  for (const { models } of mongoose.connections) {
    const model = Object.values(models).find((each) => each.collection.name === collection);
    if (model)
      return model.schema.indexes().map(([key, { partialFilterExpression }]) => ({
        fields: Object.keys(key),
        partialFilter: partialFilterExpression,
      }));
  }
  return [];
}

/** The command without its values, so that a reported fault contains no data of callers. */
function describe({ lsid: _, $clusterTime: __, documents: ___, ...command }: Doc): string {
  return JSON.stringify(command, withoutValues).slice(0, 2_000);
}

function withoutValues(this: unknown, _: string, value: unknown): unknown {
  if (Array.isArray(value) && value.length > 3) return [...value.slice(0, 3), '…'];
  return value;
}
