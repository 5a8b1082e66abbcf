// Secrets from files: the variable `NAME_FILE` is the path of the file with the value of `NAME`.
import { readFileSync } from 'node:fs';

/** The variables that hold secrets. */
const SECRETS = [
  'MONGODB_URI',
  'ADMIN_API_KEY',
  'KEYSTORE_KEY',
  'KEYSTORE_KEY_PREVIOUS',
  'SMTP_URL',
  'RELAYER_PRIVATE_KEY',
  'CHAIN_RPC_URL',
  'BUNDLER_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

/** The variables with the paths of these files. */
export const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`);

/** The environment with the secrets from files, and a sentence for each one that cannot be read. */
export function withSecretFiles(environment: NodeJS.ProcessEnv): {
  environment: NodeJS.ProcessEnv;
  problems: string[];
} {
  const secrets: NodeJS.ProcessEnv = {};
  const problems: string[] = [];
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (!file) continue;
    if (environment[name]) problems.push(`${name} and ${name}_FILE are both set: leave one out`);
    else
      try {
        // Editors and `echo` end files with a line break.
        secrets[name] = readFileSync(file, 'utf8').trim();
        if (secrets[name] === '') problems.push(`${name}_FILE names a file that is empty`);
      } catch (error) {
        problems.push(
          `${name}_FILE must be the path of a file that can be read (${(error as NodeJS.ErrnoException).code})`,
        );
      }
  }
  return { environment: { ...environment, ...secrets }, problems };
}
