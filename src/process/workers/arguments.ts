// The gateway's command line arguments.

/** The text of --help. */
export const USAGE = `The credential gateway: GraphQL and REST on one port.

  --workers N   serve with N processes, 1 to 64 (default: one process that does everything)
  --version     what runs: the version and the commit
  --help        this text

Everything else is configured by environment variables: docs/configuration.md. The operator's commands: npm run cli -- --help`;

/** Whether --help is among the arguments. */
export const asksForHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h');

/** Whether --version is among the arguments. */
export const asksForVersion = (argv: readonly string[]): boolean => argv.includes('--version') || argv.includes('-V');

/** The command line cannot be used; the message is one sentence. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

const MOST = 64;
const FORM = /^--workers(?:=(.*))?$/s;

/** The number of workers; undefined: a single process. @throws ArgumentError. */
export function workersOf(argv: readonly string[]): number | undefined {
  const [option, ...rest] = argv;
  if (option === undefined) return undefined;
  const form = FORM.exec(option);
  if (!form) throw unknown(option);
  const [value, ...more] = form[1] === undefined ? rest : [form[1], ...rest];
  if (more[0] !== undefined) throw unknown(more[0]);
  if (value !== undefined && /^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= MOST)
    return Number(value);
  const suffix = value === undefined ? '' : `, not ${value}`;
  throw new ArgumentError(`--workers must be a whole number from 1 to ${MOST}${suffix}.`);
}

function unknown(argument: string): ArgumentError {
  return new ArgumentError(`${argument} is not a valid option; the only one is --workers, a number from 1 to ${MOST}.`);
}
