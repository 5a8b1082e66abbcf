// A revocation by filter that is running, and its result.
import { Link } from 'wouter-preact';
import { RevocationFollowedDocument, RevocationPageDocument } from '../api/generated/graphql.js';
import { useJob } from '../api/use-job.js';
import { useView } from '../api/use-view.js';
import { Shown } from './shown.js';
import { number } from './text.js';

export function RunningRevocation({ jobId, path }: { jobId: string; path: string }) {
  const view = useView(RevocationPageDocument, { jobId });
  useJob(RevocationFollowedDocument, jobId, view.data?.revocationJob.state === 'RUNNING', view.reload);
  return (
    <Shown view={view}>
      {({ revocationJob: { state, count, done, revoked, revokedBefore, note } }) => (
        <>
          <p role="status">
            The revocation {state === 'RUNNING' ? 'is running' : 'is finished'}: {number(revoked)} revoked,{' '}
            {number(revokedBefore)} revoked before, {number(count - done)} left, of {number(count)}.
          </p>
          <progress aria-label="Credentials that are done" max={Math.max(count, 1)} value={done} />
          {note && <p>{note}</p>}
          <p>
            <Link href={path}>Another filter</Link>
          </p>
        </>
      )}
    </Shown>
  );
}
