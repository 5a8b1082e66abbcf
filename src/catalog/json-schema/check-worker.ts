// The check worker: compiles JSON Schema documents and checks subjects against them, outside of the gateway's event loop. The gateway
// terminates this thread when a reply takes too long.
import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../base/errors.js';
import { type CheckQuestion, type CheckReply, MAX_COMPILED } from './check-protocol.js';
import type { Misfit } from './misfit.js';
import { compileSubject, type SubjectCheck } from './subject-check.js';

const checks = new LRUCache<string, SubjectCheck>({ max: MAX_COMPILED });

function compile(key: string, document: string, did?: string): string | undefined {
  try {
    checks.set(key, compileSubject(JSON.parse(document), did));
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.message;
    // Ajv's own messages do not help: they have neither the path nor the fix.
    return 'The document cannot be compiled into a check of subjects.';
  }
}

function misfitOf(key: string, subject: Record<string, unknown>): Misfit | undefined {
  const check = checks.get(key);
  if (!check) throw new Error('the document of this check is not compiled');
  try {
    return check(subject);
  } catch {
    // A schema that contains itself for the same part of the value recurses until the stack overflows.
    return { path: '', message: 'cannot be checked' };
  }
}

const reply = (message: CheckReply): void => parentPort?.postMessage(message);

parentPort?.on('message', (question: CheckQuestion) => {
  const { key } = question;
  if (question.ask === 'compile') reply({ is: 'compiled', reason: compile(key, question.document, question.did) });
  else reply({ is: 'checked', misfit: misfitOf(key, question.subject) });
});
reply({ is: 'ready' });
