// Work of the gateway that takes a while, followed by its progress.
import { useEffect } from 'preact/hooks';
import type { GeneratedDocument } from './client.js';
import { follow } from './follow.js';

/** Reads a job again whenever its progress is reported, while it is under way. */
export function useJob<Data>(
  document: GeneratedDocument<Data, { jobId: string }>,
  jobId: string,
  isUnderWay: boolean,
  reload: () => void,
): void {
  useEffect(() => {
    if (!isUnderWay) return;
    // A refused token is reported by the view, which reads the job again.
    return follow(document, () => ({ jobId }), { next: reload, interrupted: reload, ended: reload });
  }, [jobId, isUnderWay]);
}
