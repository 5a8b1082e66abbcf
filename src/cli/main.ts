#!/usr/bin/env node
// `npm run cli -- <command>`, and the command credential-gateway: runs a command; if it fails, prints why in one sentence.
import { program } from './program.js';

// Of what a command loads, stacks name the sources.
process.setSourceMapsEnabled(true);
program()
  .parseAsync()
  .catch(async (error: unknown) => {
    const { failureSentence } = await import('../process/failure.js');
    const sentence = failureSentence(error);
    if (process.argv.includes('--json')) console.log(JSON.stringify({ error: sentence }));
    console.error(sentence);
    process.exitCode = 1;
  });
