// `migrate` beside a MongoDB whose index builds wait: few at a time, reported, and ended by a limit.
import { Writable } from 'node:stream';
import type { CommandStartedEvent } from 'mongodb';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { runMigrate } from '../../src/cli/migrate.js';
import { Terminal } from '../../src/cli/output.js';
import { registerModels } from '../../src/compose/domains.js';
import { migrate } from '../../src/store/connection.js';
import { startTestEngine, type TestEngine } from '../engine/support.js';
import { runCli } from './run-cli.js';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startTestEngine();
});
afterAll(() => engine.close());

const uriOf = (name: string): string => engine.engine.uri.replace(/\/?(\?|$)/, `/${name}$1`);
const buildsWait = (blockTimeMS: number, times: number) =>
  engine.client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: { times },
    data: { failCommands: ['createIndexes'], blockConnection: true, blockTimeMS },
  });

function terminalTo(lines: string[]): Terminal {
  const err = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return new Terminal(err, err, {});
}

describe('migrate', () => {
  it('migrate builds the indexes of three collections at a time', async () => {
    const connection = await mongoose
      .createConnection(uriOf('three'), { monitorCommands: true, autoIndex: false, autoCreate: false })
      .asPromise();
    registerModels(connection);
    let [running, most] = [0, 0];
    const client = connection.getClient();
    const isBuild = ({ commandName }: Pick<CommandStartedEvent, 'commandName'>) => commandName === 'createIndexes';
    client.on('commandStarted', (event) => {
      if (!isBuild(event)) return;
      running += 1;
      most = Math.max(most, running);
    });
    client.on('commandSucceeded', (event) => {
      if (isBuild(event)) running -= 1;
    });
    await migrate(connection);
    await connection.close();
    expect(most).toBe(3);
  });

  it('migrate reports which builds wait, and for what', async () => {
    await buildsWait(1_500, 1);
    const lines: string[] = [];
    const config = loadConfig({ MONGODB_URI: uriOf('slow'), LOG_LEVEL: 'silent' });
    await runMigrate(config, terminalTo(lines), { limitMs: 600_000, reportMs: 300 });
    expect(lines.join('')).toMatch(/still building the indexes of \w+.*: MongoDB waits until every voting member/);
  });

  it('migrate ends after its time limit, and names what is missing', async () => {
    await buildsWait(12_000, 3);
    const config = loadConfig({ MONGODB_URI: uriOf('stuck'), LOG_LEVEL: 'silent' });
    await expect(runMigrate(config, terminalTo([]), { limitMs: 5_000, reportMs: 10_000 })).rejects.toThrow(
      /^The migration has not ended within \d+ minutes: the indexes of \w+, \w+, \w+ are not built\. Is a member/,
    );
  });

  it('migrate accepts a limit in minutes, and explains the valid values', async () => {
    const { code, err } = await runCli(['migrate', '--time-limit', 'soon'], {});
    expect(code).toBe(1);
    expect(err).toContain('It must be a whole number of minutes from 1 to 10080.');
  });
});
