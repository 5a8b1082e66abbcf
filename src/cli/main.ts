#!/usr/bin/env node
// `npm run cli -- <command>`, and the command credential-gateway.
import { mapStacks } from '../base/source-maps.js';
import { Terminal } from './output.js';
import { run } from './run.js';

mapStacks();
const terminal = new Terminal(process.stdout, process.stderr, undefined, process.stdin);
// Whether the last output could be written is known only after the command has ended.
process.once('exit', () => {
  if (terminal.exitCode !== 0) process.exitCode = terminal.exitCode;
});
run(process.argv.slice(2), terminal);
