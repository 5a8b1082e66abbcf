// Every command that a gateway in this process sends is judged: is it one that a MongoDB takes from us, and one that the table has?
import { createRequire } from 'node:module';
import { afterAll, afterEach, expect } from 'vitest';
import { type Judge, judgeOfProcess } from './sent-commands/judge.js';
import type { Doc } from './sent-commands/values.js';

interface DriverConnection {
  prepareCommand(db: string, command: Doc, options: Doc): { command?: Doc };
}

/** The driver's `commandStarted` needs `monitorCommands`, which decodes every reply a second time: this hears of the same commands for nothing. */
function listen(judge: Judge): void {
  const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection') as {
    Connection: { prototype: DriverConnection };
  };
  const { prepareCommand } = Connection.prototype;
  Connection.prototype.prepareCommand = function (...given) {
    const message = prepareCommand.apply(this, given);
    // Clients that do not ask for the stable API strictly are no gateways, and greet in a form of their own.
    if (message.command?.apiStrict === true) judge.judge(commandOf(message.command));
    return message;
  };
}

/** The command as `commandStarted` has it: the driver keeps long lists aside. */
function commandOf(command: Doc): Doc {
  const { updates, deletes, documents } = command as Record<string, { documents?: unknown } | undefined>;
  const list = { updates, deletes, documents };
  for (const [name, sequence] of Object.entries(list))
    if (sequence?.documents !== undefined) return { ...command, [name]: sequence.documents };
  return command;
}

const judge = judgeOfProcess(listen);
const expectNoFaults = (): void =>
  expect(judge.takeFaults().join('\n'), 'commands that a gateway may not send').toBe('');
afterEach(expectNoFaults);
afterAll(expectNoFaults);
