// Every command that a gateway in this process sends is checked: MongoDB must accept it, and the table of sent commands must contain it.
import { createRequire } from 'node:module';
import { afterAll, afterEach, expect } from 'vitest';
import { type Judge, judgeOfProcess } from './sent-commands/judge.js';
import type { Doc } from './sent-commands/values.js';

interface DriverConnection {
  prepareCommand(db: string, command: Doc, options: Doc): { command?: Doc };
}

/**
 * Reads the commands from the driver's connections. The driver's event `commandStarted` needs `monitorCommands`, which
 * decodes every reply a second time.
 */
function listen(judge: Judge): void {
  const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection') as {
    Connection: { prototype: DriverConnection };
  };
  const { prepareCommand } = Connection.prototype;
  Connection.prototype.prepareCommand = function (...given) {
    const message = prepareCommand.apply(this, given);
    // A client that does not ask for the stable API strictly is no gateway, and its first message has another form.
    if (message.command?.apiStrict === true) judge.judge(commandOf(message.command));
    return message;
  };
}

/** The command as the event `commandStarted` has it: the driver sends long lists in a separate section. */
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
