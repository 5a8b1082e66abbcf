// The rules of a server for transactions, and for writes that the driver repeats.
import type { ServerFacts } from './server-facts.js';
import { usesOf } from './operators.js';
import { collectionOf, type Doc, docOf, docsIn } from './values.js';

/** Each rule that the command breaks, as a sentence. */
export function transactionFaults(facts: ServerFacts, command: Doc): string[] {
  const [name = ''] = Object.keys(command);
  // The driver also sends `endSessions` without waiting for its reply, when it closes.
  if (docOf(command.writeConcern).w === 0 && isRepeated(facts, name))
    return ['a write without acknowledgement tells nobody that it failed'];
  if (command.autocommit === false) return faultsInside(facts, command);
  return command.txnNumber === undefined ? [] : repeatFaults(facts, command);
}

const ENDS = new Set(['commitTransaction', 'abortTransaction']);

function faultsInside({ transactions }: ServerFacts, command: Doc): string[] {
  const [name = ''] = Object.keys(command);
  // A row may have a remark in brackets: `create (local read concern)`.
  const row = transactions.commands.find((each) => each.split(' ')[0] === name);
  const first = command.startTransaction === true;
  const { level } = docOf(command.readConcern);
  const faults: [boolean, string][] = [
    [row === undefined, `no transaction takes the command ${name}`],
    [first && row?.includes('not first') === true, `no transaction begins with ${name}`],
    [command.readConcern !== undefined && !first, 'only the first statement of a transaction has a read concern'],
    [
      level !== undefined && !['local', 'majority', 'snapshot'].includes(String(level)),
      `no transaction has the read concern ${level}`,
    ],
    [
      row?.includes('local read concern') === true && level !== undefined && level !== 'local',
      `${name} in a transaction needs the read concern local`,
    ],
    [
      command.writeConcern !== undefined && !ENDS.has(name),
      'only the commit or abort of a transaction has a write concern',
    ],
    [
      !ENDS.has(name) && transactions.databasesRefused.includes(String(command.$db)),
      `no transaction reads or writes the database ${command.$db}`,
    ],
    [collectionOf(command)?.startsWith('system.') === true, 'no transaction writes a system collection'],
  ];
  const refused = [...usesOf(command).operators]
    .map((use) => use.replace('stage ', ''))
    .filter((stage) => transactions.stagesRefused.includes(stage))
    .map((stage) => `no transaction takes the stage ${stage}`);
  return [...faults.filter(([broken]) => broken).map(([, fault]) => fault), ...refused];
}

const isRepeated = ({ retryableWriteCommands }: ServerFacts, name: string): boolean =>
  retryableWriteCommands.some((each) => each.split(' ')[0] === name);

/** The faults of a command that the driver has marked as repeatable. */
function repeatFaults(facts: ServerFacts, command: Doc): string[] {
  const [name = ''] = Object.keys(command);
  if (!isRepeated(facts, name)) return [`${name} cannot be repeated`];
  const many =
    docsIn(command.updates).some(({ multi }) => multi === true) ||
    docsIn(command.deletes).some(({ limit }) => limit === 0);
  return many ? ['a write of many documents cannot be repeated'] : [];
}
