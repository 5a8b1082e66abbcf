// Erases a holder. The user confirms what was typed by typing it again; the erasure continues in the background.
import { useLocation, useSearch } from 'wouter-preact';
import { useDraft } from '../api/drafts.js';
import { EraseHolderDocument, ErasureStateDocument } from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { Title } from '../parts/title.js';

const PATH = '/operator/erasure';
const BY = { userId: 'userId', email: 'E-mail address', did: 'DID' } as const;
type By = keyof typeof BY;

interface ErasureDraft {
  by: By;
  holder: string;
  again: string;
}

export function ErasurePage() {
  const erasureId = new URLSearchParams(useSearch()).get('erasureId');
  return (
    <>
      <Title text="Erase a holder" />
      {erasureId === null ? <NewErasure /> : <Erasure key={erasureId} erasureId={erasureId} />}
    </>
  );
}

function NewErasure() {
  const draft = useDraft<ErasureDraft>('erasure', { by: 'userId', holder: '', again: '' });
  const { by, holder, again } = draft.value;
  const type = (members: Partial<ErasureDraft>): void => draft.keep({ ...draft.value, ...members });
  const [, navigate] = useLocation();
  const { run, isRunning, fault } = useAction(EraseHolderDocument);
  const erase = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = await run({ input: { [by]: holder } });
    if (!data) return;
    draft.reset(draft.value);
    navigate(`${PATH}?${new URLSearchParams({ erasureId: data.eraseHolder.erasure.erasureId })}`);
  };
  return (
    <form onSubmit={(event) => void erase(event)}>
      <p>
        Its keys, addresses and packages are deleted, and everything that names it. Its credentials are revoked. It
        cannot be undone.
      </p>
      <div class="filters">
        <label>
          The holder by its
          <select value={by} onChange={({ currentTarget }) => type({ by: currentTarget.value as By })}>
            {Object.entries(BY).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          {BY[by]}
          <input
            type="text"
            required
            maxLength={500}
            autocomplete="off"
            value={holder}
            onInput={({ currentTarget }) => type({ holder: currentTarget.value.trim() })}
          />
        </label>
      </div>
      <div class="field">
        <label>
          To confirm, type it again
          <input
            type="text"
            autocomplete="off"
            value={again}
            onInput={({ currentTarget }) => type({ again: currentTarget.value.trim() })}
          />
        </label>
      </div>
      <button type="submit" class="main" disabled={isRunning || holder === '' || again !== holder}>
        Erase this holder
      </button>
      <Said fault={fault} />
    </form>
  );
}

const STATES = {
  ERASING: 'Rows are being deleted.',
  SETTLING: 'Everything is deleted; what requests in progress still add is deleted after ten minutes.',
  DONE: 'Nothing of the holder is left.',
} as const;

function Erasure({ erasureId }: { erasureId: string }) {
  const view = useView(ErasureStateDocument, { id: erasureId });
  return (
    <>
      <p>
        Erasure <code>{erasureId}</code>
      </p>
      <Shown view={view}>{({ erasure: { state } }) => <p role="status">{STATES[state]}</p>}</Shown>
      <button type="button" onClick={view.reload}>
        Read again
      </button>
    </>
  );
}
