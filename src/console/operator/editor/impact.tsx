// What new content of a schema would break, before it is written.
import { Link } from 'wouter-preact';
import type { ImpactQuery } from '../../api/generated/graphql.js';
import { pathOf } from '../../catalog/address.js';
import { counted, Name, Text } from '../../parts/text.js';

const REASONS: Readonly<Record<string, string>> = {
  missing: 'the field is gone',
  type: 'the field has another type',
  order: 'the type has no order',
  contradiction: 'no value can meet it',
  ranges: 'it has too many ranges to be proven',
  inequalities: 'it has too many inequalities to be proven',
  lists: 'its lists are too long to be proven',
};

export function ImpactView({ impact: { breaks, reissue } }: { impact: ImpactQuery['schemaImpact'] }) {
  return (
    <section aria-labelledby="impact">
      <h2 id="impact">What this would break</h2>
      <p role="status">
        {breaks.length === 0
          ? 'No condition of a program breaks'
          : `${counted(breaks.length, 'condition')} of programs break`}
        ; {reissue >= 10_000 ? 'more than ' : ''}
        {counted(reissue, 'credential')} would have to be issued again to prove what programs ask. Live credentials stay
        on the version that they have until each is moved.
      </p>
      <ul class="lines">
        {breaks.map(({ programId, credentialId, condition, why }) => (
          <li key={`${programId} ${credentialId} ${condition}`}>
            <code>
              <Text text={condition} />
            </code>{' '}
            of{' '}
            <Link href={pathOf('programs', programId)}>
              <Name text={programId} />
            </Link>{' '}
            on{' '}
            <Link href={pathOf('credentials', credentialId)}>
              <Name text={credentialId} />
            </Link>
            : {REASONS[why] ?? why}
          </li>
        ))}
      </ul>
    </section>
  );
}
