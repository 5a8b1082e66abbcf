// Every command, with what it revokes, replaces or deletes, and how the person who types it says so. Nothing of it is a default.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { Terminal } from '../../src/cli/output.js';
import { program } from '../../src/cli/program.js';

/**
 * `nothing`: it reads, or what it writes is new or done once more. `kept`: what it rewrites holds the same afterwards. `named`: the command names
 * the one record that goes. `given`: only an option takes something away. `chosen`: asked, or by an option.
 */
const COMMANDS: Readonly<Record<string, 'nothing' | 'kept' | 'named' | 'given' | 'chosen'>> = {
  doctor: 'nothing',
  'partner create': 'nothing',
  'partner token': 'nothing',
  'partner list': 'nothing',
  'partner show': 'nothing',
  'batch list': 'nothing',
  'webhooks listen': 'nothing',
  'webhooks list': 'nothing',
  'webhooks show': 'nothing',
  'webhooks resume': 'nothing',
  'schema impact': 'nothing',
  'traction verify': 'nothing',
  'operator-key create': 'nothing',
  'operator-key list': 'nothing',
  mailbox: 'nothing',
  'holder erasure': 'nothing',
  'audit verify': 'nothing',
  'audit export': 'nothing',
  // Into a folder that is not there yet.
  'engine backup': 'nothing',
  'engine check': 'nothing',
  'engine dump': 'nothing',
  'engine stats': 'nothing',
  'chain deploy': 'nothing',
  'chain allow': 'nothing',
  'chain resume': 'nothing',
  'anchor verify': 'nothing',
  // Into an empty store.
  'engine restore': 'nothing',
  'store copy': 'nothing',
  migrate: 'kept',
  'keys rotate': 'kept',
  'engine compact': 'kept',
  // Every transaction is sent to the devnet again.
  'chain reset': 'kept',
  'partner retire': 'named',
  'batch cancel': 'named',
  // Deliveries wait until it is resumed.
  'webhooks pause': 'named',
  'keys withdraw': 'named',
  'operator-key rotate': 'named',
  'operator-key withdraw': 'named',
  'holder reset-mfa': 'named',
  'holder erase': 'named',
  // Entries of the same ids are replaced: files have them; of a mirror, those that were changed here only with --overwrite.
  import: 'given',
  // --give-up names the job.
  'chain jobs': 'given',
  issue: 'chosen',
  'issue-batch': 'chosen',
};

const leaves = (command: Command, path: readonly string[] = []): [name: string, command: Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));

const commands = new Map(leaves(program(new Terminal(process.stdout, process.stderr))));
const of = (way: string): string[] => Object.keys(COMMANDS).filter((name) => COMMANDS[name] === way);
/** What a command takes away without being told: its options that have a value of their own. */
const defaultsOf = (name: string): string[] =>
  (commands.get(name)?.options ?? []).flatMap(({ long, defaultValue }) =>
    defaultValue === undefined ? [] : [String(long)],
  );

describe('What a command takes away', () => {
  it('every command is in the table of what it takes away', () => {
    expect([...commands.keys()].sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it.each(of('named'))('%s names the one record', (name) => {
    const command = commands.get(name);
    const byHolder = command?.options.some(({ long }) => long === '--user-id') ?? false;
    expect(byHolder || command?.registeredArguments.some(({ required }) => required)).toBe(true);
  });

  it.each(of('chosen'))('%s takes what a recipient has only by an answer or an option', (name) => {
    const option = commands.get(name)?.options.find(({ long }) => long === '--on-duplicate');
    expect(option?.argChoices).toEqual(expect.arrayContaining(['ignore', 'revoke']));
    expect(defaultsOf(name)).toEqual([]);
  });

  it.each(of('given'))('%s takes nothing away by a default', (name) => {
    expect(defaultsOf(name)).toEqual([]);
  });
});
