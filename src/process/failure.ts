// The message when a command or the gateway cannot start: one sentence if the operator can fix it, otherwise the stack.
import { accessSentence, isRefusedAccess } from '../base/file-access.js';
import { NeverServed } from './workers/kept-process.js';

/** System errors by code, with the fix. */
const SENTENCES: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'HOST is not an address of this machine; set it to 127.0.0.1 or 0.0.0.0.',
  ENOTFOUND: 'HOST is not an address of this machine; set it to 127.0.0.1 or 0.0.0.0.',
};

const NO_PORT = 'This user may not listen on that port; set PORT to one above 1023.';

/** Errors whose message is a sentence for operators. By name: importing their classes would load the whole gateway. */
const NAMES_WITH_SENTENCE: ReadonlySet<string> = new Set([
  'ArgumentError',
  'ChainUnreachable',
  'ConfigError',
  'DataDirError',
  'DataFolderError',
  'DomainError',
  'KeystoreKeyError',
  'ManifestError',
  'StoreRefused',
]);

/** The sentence for an error that ends a process. */
export function failureSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (NAMES_WITH_SENTENCE.has(error.name)) return error.message;
  if (/^Mongo/.test(error.name)) return storeSentence(error);
  if (isRefusedAccess(error))
    return error.syscall === 'listen' ? NO_PORT : error.path === undefined ? error.message : accessSentence(error.path);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `The port ${error.port} is in use by another process; set PORT to another one.`;
  const sentence = 'code' in error ? SENTENCES[String(error.code)] : undefined;
  return sentence ?? error.stack ?? error.message;
}

/** The driver's message, without a connection string in it. */
function storeSentence({ message }: Error): string {
  const words = message.replace(/mongodb(\+srv)?:\/\/\S+/g, 'the connection string').replace(/\.$/, '');
  return `The store (at MONGODB_URI, else the one in DATA_DIR) cannot be used: ${words}.`;
}

/** Ends the process with the sentence of an error, unless it was already printed. */
export function fail(error: unknown): never {
  if (!(error instanceof NeverServed)) console.error(failureSentence(error));
  process.exit(1);
}
