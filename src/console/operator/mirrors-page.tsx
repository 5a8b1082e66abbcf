// The newest run over each network whose catalog is mirrored here.
import { MirrorsDocument, type MirrorsQuery } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { Facts } from '../catalog/entry.js';
import { QueryOf } from '../parts/query.js';
import { Shown } from '../parts/shown.js';
import { counted, Moment, number, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

export function MirrorsPage() {
  const view = useView(MirrorsDocument, {});
  return (
    <>
      <Title text="Mirrors" />
      <p>
        A run begins by <code>npm run cli -- import --from</code> or <code>POST /v1/admin/mirrors</code>.{' '}
        <button type="button" onClick={view.reload}>
          Read again
        </button>
      </p>
      <Shown view={view}>
        {({ mirrors }) => (
          <>
            <p role="status">{counted(mirrors.length, 'mirrored network')}.</p>
            <ul class="lines">
              {mirrors.map((run) => (
                <Run key={run.source} run={run} />
              ))}
            </ul>
          </>
        )}
      </Shown>
      <QueryOf document={MirrorsDocument} variables={{}} />
    </>
  );
}

function Run({ run }: { run: MirrorsQuery['mirrors'][number] }) {
  const { source, state, startedAt, finishedAt, phase, page, message } = run;
  const { created, updated, unchanged, refused, kept, missing } = run;
  return (
    <li>
      <h2>
        <Text text={source} />
      </h2>
      <Facts
        facts={{
          State: state === 'RUNNING' ? `reads ${phase.toLowerCase()}, page ${page}` : state.toLowerCase(),
          Began: <Moment time={startedAt} />,
          Ended: finishedAt && <Moment time={finishedAt} />,
          Created: number(created),
          Changed: number(updated),
          'As they were': number(unchanged),
          'Do not fit the catalog': number(refused),
          'Edited here, and left so': number(kept),
          'No longer at the source': number(missing),
        }}
      />
      {message && (
        <p class={state === 'DONE' ? undefined : 'fault'}>
          <Text text={message} />
        </p>
      )}
    </li>
  );
}
