// Shown if somebody else has changed a record meanwhile: both versions, field by field.
import { useEffect } from 'preact/hooks';
import { PartnerPageDocument } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { Scrolls } from '../parts/scrolls.js';
import { Shown } from '../parts/shown.js';

interface ConflictViewProps {
  partnerId: string;
  own: Readonly<Record<string, unknown>>;
  /** Saves the reader's version over the stored one, which has this etag. */
  save(etag: string): void;
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : String(value));

export function ConflictView({ partnerId, own, save }: ConflictViewProps) {
  const view = useView(PartnerPageDocument, { id: partnerId });
  useEffect(view.reload, []);
  return (
    <section aria-labelledby="conflict">
      <h2 id="conflict">Somebody else has saved it</h2>
      <Shown view={view}>
        {({ partner }) => {
          const differing = Object.keys(own).filter(
            (name) => textOf(own[name]) !== textOf(partner[name as keyof typeof partner]),
          );
          return (
            <>
              <Scrolls label="Both versions">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Member</th>
                      <th scope="col">Theirs</th>
                      <th scope="col">Yours</th>
                    </tr>
                  </thead>
                  <tbody>
                    {differing.map((name) => (
                      <tr key={name}>
                        <th scope="row">{name}</th>
                        <td>
                          <pre>{textOf(partner[name as keyof typeof partner])}</pre>
                        </td>
                        <td>
                          <pre>{textOf(own[name])}</pre>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Scrolls>
              <button type="button" onClick={() => save(partner.etag)}>
                Save mine over theirs
              </button>
            </>
          );
        }}
      </Shown>
    </section>
  );
}
