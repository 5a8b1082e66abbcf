// Chain jobs, each with its history. Failed ones can be tried again or given up.
import { useLocation, useSearch } from 'wouter-preact';
import {
  type ChainJobFactsFragment,
  type ChainJobState,
  ChainJobsDocument,
  GiveUpJobDocument,
  RetryJobDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

const STATES: readonly ChainJobState[] = ['QUEUED', 'SIGNED', 'SENT', 'MINED', 'CONFIRMED', 'FAILED'];

export function ChainJobsPage({ isAll }: { isAll: boolean }) {
  const given = new URLSearchParams(useSearch()).get('state');
  const state = STATES.find((each) => each === given) ?? '';
  const [, navigate] = useLocation();
  const variables = state === '' ? {} : { states: [state] };
  const view = useView(ChainJobsDocument, variables);
  return (
    <>
      <Title text="Chain jobs" />
      <search class="filters">
        <label>
          State
          <select
            value={state}
            onChange={({ currentTarget }) =>
              navigate(`/operator/chain?state=${currentTarget.value}`, { replace: true })
            }
          >
            <option value="">All</option>
            {STATES.map((each) => (
              <option key={each} value={each}>
                {each.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={view.reload}>
          Read again
        </button>
      </search>
      <Shown view={view}>
        {({ chainJobs }) => (
          <>
            <p role="status">{counted(chainJobs.length, 'job')}, newest first.</p>
            <ul class="lines">
              {chainJobs.map((job) => (
                <Job key={job.jobId} job={job} isAll={isAll} reload={view.reload} />
              ))}
            </ul>
          </>
        )}
      </Shown>
      <QueryOf document={ChainJobsDocument} variables={variables} />
    </>
  );
}

function Job({ job, isAll, reload }: { job: ChainJobFactsFragment; isAll: boolean; reload(): void }) {
  const { jobId, kind, state, createdAt, txHash, errorMessage, story } = job;
  const retry = useAction(RetryJobDocument);
  const giveUp = useAction(GiveUpJobDocument);
  const act = async (action: typeof retry | typeof giveUp): Promise<void> => {
    if (await action.run({ input: { jobId } })) reload();
  };
  return (
    <li class={state === 'FAILED' ? 'fault' : undefined}>
      <strong>{kind}</strong> {state.toLowerCase()},{' '}
      <time dateTime={createdAt}>{createdAt.slice(0, 19).replace('T', ' ')} UTC</time>
      {errorMessage && (
        <p>
          <Text text={errorMessage} />
        </p>
      )}
      {txHash && (
        <p>
          <code>{txHash}</code>
        </p>
      )}
      {isAll && state === 'FAILED' && (
        <button type="button" disabled={retry.isRunning} onClick={() => void act(retry)}>
          Try again
        </button>
      )}
      {isAll && state !== 'FAILED' && state !== 'CONFIRMED' && (
        <button
          type="button"
          disabled={giveUp.isRunning}
          onClick={() => confirm('Give this job up?') && void act(giveUp)}
        >
          Give up
        </button>
      )}
      <Said fault={retry.fault ?? giveUp.fault} />
      <details>
        <summary>{counted(story.length, 'step')}</summary>
        <ol>
          {story.map(({ at, what }) => (
            <li key={`${at}${what}`}>
              {at.slice(0, 19).replace('T', ' ')} UTC: <Text text={what} />
            </li>
          ))}
        </ol>
      </details>
    </li>
  );
}
