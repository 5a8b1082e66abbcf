// The credentials that a program accepts, with their conditions. The parser of the condition language checks each condition while it is typed.
import { checkedCondition } from '../../../conditions/check.js';
import { type Condition, ConditionSyntaxError } from '../../../conditions/types.js';
import { PointsOfDocument, type PointsOfQuery } from '../../api/generated/graphql.js';
import { useView } from '../../api/use-view.js';
import { CommittedField } from '../../parts/committed-field.js';
import { ConditionWords } from '../../parts/condition.js';
import { FaultSaid } from '../../parts/said.js';
import { Name } from '../../parts/text.js';
import type { EntryFieldProps } from './field-props.js';

interface Accepted {
  credentialId: string;
  verificationConditions: readonly string[];
}

type Credential = NonNullable<PointsOfQuery['credential']>;

const EMPTY: Accepted = { credentialId: '', verificationConditions: [] };

export function AcceptedField({ field, value, set, fault, isDisabled }: EntryFieldProps) {
  const all = value as readonly Accepted[];
  const change = (at: number, members: Partial<Accepted>): void =>
    set(all.map((each, index) => (index === at ? { ...each, ...members } : each)));
  return (
    <fieldset disabled={isDisabled}>
      <legend>{field.label}</legend>
      {all.map((accepted, index) => (
        <OneAccepted
          key={index}
          number={index + 1}
          accepted={accepted}
          change={(members) => change(index, members)}
          remove={() => set(all.filter((_, each) => each !== index))}
        />
      ))}
      <p>
        <button type="button" onClick={() => set([...all, EMPTY])}>
          Add a credential
        </button>
      </p>
      {fault && <FaultSaid fault={fault} />}
    </fieldset>
  );
}

interface OneAcceptedProps {
  number: number;
  accepted: Accepted;
  change(members: Partial<Accepted>): void;
  remove(): void;
}

function OneAccepted({ number, accepted, change, remove }: OneAcceptedProps) {
  const { credentialId, verificationConditions } = accepted;
  const { data, isReading } = useView(PointsOfDocument, { id: credentialId }, credentialId === '');
  const credential = credentialId === '' || isReading ? undefined : data?.credential;
  return (
    <fieldset>
      <legend>Credential {number}</legend>
      <div class="field">
        <CommittedField
          label={`Id of credential ${number}`}
          required
          value={credentialId}
          commit={(text) => change({ credentialId: text })}
        />
        <p class={credential === null ? 'fault' : 'quiet'}>
          {credential && <Name text={credential.name} />}
          {credential === null && 'There is no credential with this id.'}
        </p>
      </div>
      <div class="field">
        <label>
          Conditions of credential {number}, one a line; all of them must hold
          <textarea
            class="code"
            rows={Math.max(3, verificationConditions.length + 1)}
            spellcheck={false}
            value={verificationConditions.join('\n')}
            onInput={({ currentTarget }) => change({ verificationConditions: currentTarget.value.split('\n') })}
          />
        </label>
      </div>
      <div role="status">{credential && <Checked conditions={verificationConditions} credential={credential} />}</div>
      <p>
        <button type="button" onClick={remove}>
          Remove credential {number}
        </button>
      </p>
    </fieldset>
  );
}

function Checked({ conditions, credential }: { conditions: readonly string[]; credential: Credential }) {
  const { dataPoints } = credential;
  return (
    <ul class="lines">
      {conditions.map((text, index) => {
        if (text.trim() === '') return null;
        const read = readCondition(text, dataPoints);
        return (
          <li key={index} class={typeof read === 'string' ? 'fault' : undefined}>
            Line {index + 1}:{' '}
            {typeof read === 'string' ? <bdi>{read}</bdi> : <ConditionWords condition={read} points={dataPoints} />}
          </li>
        );
      })}
    </ul>
  );
}

/** The parsed condition, or what is wrong with it. */
function readCondition(text: string, points: Credential['dataPoints']): Condition | string {
  try {
    return checkedCondition(text, points);
  } catch (error) {
    if (error instanceof ConditionSyntaxError) return error.message;
    throw error;
  }
}
