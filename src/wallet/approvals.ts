// What the user has approved counts once: the frame keeps it until the page has received its result, so that the same call means the same approval.
import type { Outcome } from '../sdk/core/protocol.js';
import { OF_HOLDER, type Store } from './store.js';

/** Takes the id of what the user has approved, once it is done. */
export type Approved = (id: string) => void;

/** Runs what the user approves. @returns its outcome, with the id */
export async function withApproval<T>(run: (approved: Approved) => Promise<Outcome<T>>): Promise<Outcome<T>> {
  let approval: string | undefined;
  const ended = await run((id) => {
    approval = id;
  });
  return 'error' in ended || approval === undefined ? ended : { ...ended, approval };
}

/** Issuances, each by the hash of its request, with its idempotency key, and verifications that were answered. */
type Issuing = Record<string, { key: string }>;
interface Unfinished {
  holderId: string;
  verifications: { verificationId: string }[];
}

/** The page has received the result of an approval: the same call means another one from now on. */
export function forgetApproval(store: Store, id: string): void {
  const issuing = Object.entries(store.get<Issuing>(OF_HOLDER.issuing) ?? {});
  const others = issuing.filter(([, { key }]) => key !== id);
  if (others.length < issuing.length) store.set(OF_HOLDER.issuing, Object.fromEntries(others));
  const unfinished = store.get<Unfinished>(OF_HOLDER.unfinished);
  const verifications = unfinished?.verifications.filter(({ verificationId }) => verificationId !== id);
  if (verifications && verifications.length < (unfinished?.verifications.length ?? 0))
    store.set(OF_HOLDER.unfinished, { ...unfinished, verifications });
}
