// What the ticked credentials open: the programs that accept them, and for each whether its conditions can be met.
import { Link, useSearch } from 'wouter-preact';
import { OpenedDocument, PlanDocument } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { Shown } from '../parts/shown.js';
import { Name } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { pathOf } from './address.js';
import { PLAN_WORDS } from './plan-words.js';

export function PlanPage() {
  const holding = new URLSearchParams(useSearch()).getAll('holding');
  return (
    <>
      <Title text="What the ticked credentials open" />
      {holding.length === 0 && <p>Tick credentials in the lists to see which programs they can meet.</p>}
      {holding.map((id) => (
        <OpenedBy key={id} id={id} holding={holding} />
      ))}
    </>
  );
}

function OpenedBy({ id, holding }: { id: string; holding: string[] }) {
  const view = useView(OpenedDocument, { id });
  return (
    <section>
      <Shown view={view}>
        {({ credential }) =>
          credential === null || credential === undefined ? (
            <p>
              There is no credential <code>{id}</code>.
            </p>
          ) : (
            <>
              <h2>
                <Link href={pathOf('credentials', id)}>
                  <Name text={credential.name} />
                </Link>
              </h2>
              {credential.programs.nodes.length === 0 && <p>No program accepts it.</p>}
              <ul class="lines">
                {credential.programs.nodes.map(({ programId, name }) => (
                  <ProgramWithPlan key={programId} programId={programId} name={name} holding={holding} />
                ))}
              </ul>
            </>
          )
        }
      </Shown>
    </section>
  );
}

function ProgramWithPlan({ programId, name, holding }: { programId: string; name: string; holding: string[] }) {
  const { data, fault } = useView(PlanDocument, { programId, holding });
  const query = new URLSearchParams(holding.map((id) => ['holding', id]));
  const result = data?.verificationPlan.result;
  return (
    <li>
      <Link href={`${pathOf('programs', programId)}?${query}`}>
        <Name text={name} />
      </Link>
      <p class="verdict" data-result={result}>
        {fault?.sentence ?? (result && PLAN_WORDS[result])}
      </p>
    </li>
  );
}
