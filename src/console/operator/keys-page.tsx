// The operators' keys, for operators with the role `all`. A new key is shown once.
import { useDraft } from '../api/drafts.js';
import {
  NewKeyDocument,
  type OperatorKeyRole,
  OperatorKeysDocument,
  type OperatorKeysQuery,
  RotateKeyDocument,
  WithdrawKeyDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Day, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

export function KeysPage() {
  const view = useView(OperatorKeysDocument, {});
  const draft = useDraft('key', '');
  const shown = draft.value;
  const showOnce = (key: string): void => {
    draft.keep(key);
    view.reload();
  };
  return (
    <>
      <Title text="Keys of operators" />
      <p role="status">
        {shown !== '' && (
          <>
            The key, shown only now: <code>{shown}</code>{' '}
            <button type="button" onClick={() => draft.reset('')}>
              I have it
            </button>
          </>
        )}
      </p>
      <Shown view={view}>
        {({ operatorKeys }) => (
          <>
            <p>{counted(operatorKeys.length, 'named key')}.</p>
            <ul class="lines">
              {operatorKeys.map((key) => (
                <KeyLine key={key.name} operatorKey={key} showOnce={showOnce} reload={view.reload} />
              ))}
            </ul>
          </>
        )}
      </Shown>
      <NewKey showOnce={showOnce} />
      <QueryOf document={OperatorKeysDocument} variables={{}} />
    </>
  );
}

interface KeyLineProps {
  operatorKey: OperatorKeysQuery['operatorKeys'][number];
  showOnce(key: string): void;
  reload(): void;
}

function KeyLine({ operatorKey: { name, role, createdAt, withdrawnAt }, showOnce, reload }: KeyLineProps) {
  const rotate = useAction(RotateKeyDocument);
  const withdraw = useAction(WithdrawKeyDocument);
  const rotateIt = async (): Promise<void> => {
    if (!confirm(`Replace the key “${name}”? The present one works for 24 more hours.`)) return;
    const data = await rotate.run({ input: { name } });
    if (data) showOnce(data.rotateOperatorKey.key);
  };
  const withdrawIt = async (): Promise<void> => {
    if (confirm(`Withdraw the key “${name}”?`) && (await withdraw.run({ input: { name } }))) reload();
  };
  return (
    <li>
      <strong>
        <Text text={name} />
      </strong>{' '}
      {role.toLowerCase()}, made <Day time={createdAt} />
      {withdrawnAt && (
        <>
          , withdrawn <Day time={withdrawnAt} />
        </>
      )}
      {withdrawnAt === null && (
        <p class="actions">
          <button type="button" disabled={rotate.isRunning} onClick={() => void rotateIt()}>
            Rotate
          </button>
          <button type="button" disabled={withdraw.isRunning} onClick={() => void withdrawIt()}>
            Withdraw
          </button>
        </p>
      )}
      <Said fault={rotate.fault ?? withdraw.fault} />
    </li>
  );
}

interface KeyDraft {
  name: string;
  role: OperatorKeyRole;
}

const EMPTY_KEY: KeyDraft = { name: '', role: 'READ' };

function NewKey({ showOnce }: { showOnce(key: string): void }) {
  const draft = useDraft<KeyDraft>('new key', EMPTY_KEY);
  const { name, role } = draft.value;
  const { run, isRunning, fault } = useAction(NewKeyDocument);
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    const data = await run({ input: { name, role } });
    if (!data) return;
    draft.reset(EMPTY_KEY);
    showOnce(data.createOperatorKey.key);
  };
  return (
    <form class="filters" onSubmit={(event) => void create(event)}>
      <label>
        Name of a new key
        <input
          type="text"
          required
          value={name}
          onInput={({ currentTarget }) => draft.keep({ name: currentTarget.value, role })}
        />
      </label>
      <label>
        Role
        <select
          value={role}
          onChange={({ currentTarget }) => draft.keep({ name, role: currentTarget.value as OperatorKeyRole })}
        >
          <option value="READ">read</option>
          <option value="CATALOG">catalog</option>
          <option value="ALL">all</option>
        </select>
      </label>
      <button type="submit" disabled={isRunning}>
        Make the key
      </button>
      <Said fault={fault} />
    </form>
  );
}
