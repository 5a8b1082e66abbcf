#!/usr/bin/env node
// `npm run cli -- <command>`, and the command credential-gateway.
import { Terminal } from './output.js';
import { run } from './run.js';

// Of what a command loads, stacks name the sources.
process.setSourceMapsEnabled(true);
run(process.argv.slice(2), new Terminal(process.stdout, process.stderr)).then((exitCode) => {
  process.exitCode = exitCode;
});
