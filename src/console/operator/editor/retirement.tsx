// Retires an entry. It first names the entries that depend on it: while there are any, an issuer, a schema or a verifier cannot be retired.
import { Link } from 'wouter-preact';
import type { Kind } from '../../api/changes.js';
import { DependentsDocument, type DependentsQuery } from '../../api/generated/graphql.js';
import { useAction } from '../../api/use-action.js';
import { useView } from '../../api/use-view.js';
import { pathOf } from '../../catalog/address.js';
import { Said } from '../../parts/said.js';
import { Shown } from '../../parts/shown.js';
import { counted, Name } from '../../parts/text.js';
import { FORMS, type FormKind } from './forms.js';

interface RetirementProps {
  kind: FormKind;
  id: string;
  /** The etag of the entry. If somebody has changed the entry meanwhile, it is not retired. */
  etag: string;
  retired(): void;
}

export function Retirement({ kind, id, etag, retired }: RetirementProps) {
  const view = useView(DependentsDocument, {
    id,
    isIssuer: kind === 'issuers',
    isSchema: kind === 'schemas',
    isVerifier: kind === 'verifiers',
    isCredential: kind === 'credentials',
  });
  const { run, isRunning, fault } = useAction(FORMS[kind].retire);
  const retire = async (): Promise<void> => {
    if (!confirm(`Retire this ${FORMS[kind].one}? Lists and look-ups no longer show it.`)) return;
    const done = await run({ input: { [FORMS[kind].idName]: id, ifMatch: etag } });
    if (done) retired();
    else view.reload();
  };
  return (
    <section aria-labelledby="retirement">
      <h2 id="retirement">Retirement</h2>
      <Shown view={view}>
        {(data) => {
          const { total, names } = dependentsOf(data);
          const isNeeded = total > 0 && kind !== 'credentials';
          return (
            <>
              {total > 0 && (
                <p>
                  {isNeeded
                    ? `It cannot be retired while ${counted(total, 'entry needs', 'entries need')} it:`
                    : `It stays in ${counted(total, 'program')}, which can no longer be met with it:`}
                </p>
              )}
              <ul class="lines">
                {names.map(({ kind: of, id: each, name }) => (
                  <li key={each}>
                    <Link href={pathOf(of, each)}>
                      <Name text={name} />
                    </Link>
                  </li>
                ))}
              </ul>
              {total > names.length && <p>And {counted(total - names.length, 'other', 'others')}.</p>}
              {!isNeeded && (
                <button type="button" disabled={isRunning} onClick={() => void retire()}>
                  Retire it
                </button>
              )}
            </>
          );
        }}
      </Shown>
      <Said fault={fault} />
    </section>
  );
}

interface Dependent {
  kind: Kind;
  id: string;
  name: string;
}

function dependentsOf({ issuer, schema, verifier, credential }: DependentsQuery): {
  total: number;
  names: Dependent[];
} {
  const credentials = (issuer ?? schema)?.credentials;
  if (credentials)
    return {
      total: credentials.totalCount,
      names: credentials.nodes.map(({ credentialId: id, name }) => ({ kind: 'credentials', id, name })),
    };
  const programs = (verifier ?? credential)?.programs;
  return {
    total: programs?.totalCount ?? 0,
    names: (programs?.nodes ?? []).map(({ programId: id, name }) => ({ kind: 'programs', id, name })),
  };
}
