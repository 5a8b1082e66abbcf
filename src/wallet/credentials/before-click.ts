// What an operation reads before the user's click. Whatever comes of it is shown to the user alone: the page gets neither an answer nor an error that
// depends on what a holder has, nor one at a time that does.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import { passingFault, type Texts } from '../texts.js';
import { consentsOf } from '../texts-consents.js';

/** Why nothing can be approved: a sentence for the user. To the page it is the same as a dialog that was closed. */
export class NothingToApprove extends Error {
  override readonly name = 'NothingToApprove';
}

/** The session or the dialog has ended, whatever was read. */
const ENDED: ReadonlySet<string> = new Set(['NOT_LOGGED_IN', 'USER_CANCELLED', 'WINDOW_BLOCKED', 'WINDOW_CLOSED']);
const isEnded = (error: unknown): boolean => error instanceof CoreServiceError && ENDED.has(error.name);

/**
 * Reads, once the user has opened the window. If that fails, shows why, and reads again or ends as the user wishes. @throws CoreServiceError USER_CANCELLED; after the user has closed the
 * notice, that the gateway or the network has failed.
 */
export async function beforeClick<T>(
  parts: { texts(): Texts; locale(): string },
  present: Present,
  read: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await present<'reading'>({ kind: 'reading' });
    try {
      return await read();
    } catch (error) {
      if (isEnded(error)) throw error;
      if (!(await isToTryAgain(parts, present, error))) throw toldOf(error);
    }
  }
}

async function isToTryAgain(
  parts: { texts(): Texts; locale(): string },
  present: Present,
  failed: unknown,
): Promise<boolean> {
  const { title, again, close } = consentsOf(parts.locale()).notice;
  const { faults } = parts.texts();
  const passing = failed instanceof CoreServiceError ? passingFault({ faults }, failed) : undefined;
  const text = failed instanceof NothingToApprove ? failed.message : (passing ?? faults.other);
  const answer = await present<'notice'>({
    ...{ kind: 'notice', title, text, close },
    ...(passing === undefined ? {} : { again }),
  });
  return 'again' in answer;
}

/** What the page hears of a failure. That something of the holder was not found is nothing that a page may know. */
function toldOf(failed: unknown): unknown {
  const isOfHolder =
    failed instanceof NothingToApprove || (failed instanceof CoreServiceError && failed.name === 'INVALID_PARAMETER');
  return isOfHolder ? new CoreServiceError('USER_CANCELLED', 'The user closed the dialog or declined.') : failed;
}
