// One partner: what its keys and pages may do, and its form.
import type { OperatorKeyRole } from '../api/generated/graphql.js';
import { Facts } from '../catalog/entry.js';
import { Moment, Text } from '../parts/text.js';
import { EntryEditor } from './editor/entry-page.js';
import type { EntryRecord } from './editor/forms.js';

export function PartnerPage({ id, role }: { id: string; role: OperatorKeyRole }) {
  return <EntryEditor kind="partners" id={id} role={role} facts={(partner) => <PartnerFacts partner={partner} />} />;
}

function PartnerFacts({ partner }: { partner: EntryRecord }) {
  const { keySetProblem, updatedAt, allowedOrigins } = partner;
  const origins = (allowedOrigins as string[]).join(' ');
  return (
    <Facts
      facts={{
        'Problem of its keys': typeof keySetProblem === 'string' && <Text text={keySetProblem} />,
        Changed: <Moment time={String(updatedAt)} />,
        'Wallet in its pages, by its CSP': (
          <code>
            <Text text={`frame-ancestors ${origins || "'none'"}`} />
          </code>
        ),
      }}
    />
  );
}
