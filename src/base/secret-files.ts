// Secrets of the environment that are given as files: the path in the variable of the same name and `_FILE`.
import { readFileSync } from 'node:fs';

/** What nobody but the gateway should read. Each may be given as a file: its path in the variable of the same name and `_FILE`. */
const SECRETS = ['MONGODB_URI', 'ADMIN_API_KEY', 'KEYSTORE_KEY', 'SMTP_URL', 'RELAYER_PRIVATE_KEY'] as const;

/** The environment with the secrets that are in files, and a sentence for each that cannot be had so. */
export function withSecretFiles(environment: NodeJS.ProcessEnv): {
  environment: NodeJS.ProcessEnv;
  problems: string[];
} {
  const read: NodeJS.ProcessEnv = {};
  const problems: string[] = [];
  for (const name of SECRETS) {
    const file = environment[`${name}_FILE`];
    if (!file) continue;
    if (environment[name]) problems.push(`${name} and ${name}_FILE are both set: leave one out`);
    else
      try {
        // Editors and `echo` end files with a line break.
        read[name] = readFileSync(file, 'utf8').trim();
        if (read[name] === '') problems.push(`${name}_FILE names a file that is empty`);
      } catch (error) {
        problems.push(
          `${name}_FILE must be the path of a file that can be read (${(error as NodeJS.ErrnoException).code})`,
        );
      }
  }
  return { environment: { ...environment, ...read }, problems };
}
