// Swaps and purchases: what is paid and got, and a quote that is renewed while the screen is open.
import { useEffect, useState } from 'preact/hooks';
import type { Answers, TradeScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { useArmed, Wait } from './armed.js';
import { Fault, useFocus } from './parts.js';

/** How long a quote is shown, and how long the user must pause for a new one, milliseconds. */
const RENEW_MS = 10_000;
const PAUSE_MS = 300;

export interface TradeFormProps {
  screen: TradeScreen;
  answer: ((answer: Answers['trade']) => void) | undefined;
  texts: Texts;
}

export function TradeForm({ screen, answer, texts: { trade: texts, armed } }: TradeFormProps) {
  const { title, hint, action, from, to, chosen, quote, fault } = screen;
  const field = useFocus<HTMLInputElement>();
  const isArmed = useArmed();
  const [choice, setChoice] = useState(chosen);
  const isCurrent = (['from', 'to', 'amount'] as const).every((part) => choice[part] === chosen[part]);
  // The quote of another choice is none of this one.
  const shown = isCurrent ? quote : undefined;
  // A click while there is no quote of this choice, or it is renewed, counts for the next one, which the consent shows.
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (answer === undefined || (isCurrent && choice.amount === '')) return undefined;
    const pauseMs = isCurrent ? RENEW_MS : PAUSE_MS;
    // Later, too, if the click is to count now: an answer draws, and what is drawn in an effect runs the effect again.
    const timer = setTimeout(
      () => {
        if (isCurrent) setWanted(false);
        answer(isWanted && shown ? { trade: true } : { choice });
      },
      isWanted ? 0 : pauseMs,
    );
    return () => clearTimeout(timer);
  }, [answer, choice, isCurrent, isWanted]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setWanted(true);
  };
  const change = (part: keyof typeof choice) => (event: { currentTarget: { value: string } }) => {
    setWanted(false);
    setChoice({ ...choice, [part]: event.currentTarget.value });
  };
  return (
    <form onSubmit={submit}>
      <h1>{title}</h1>
      <label for="amount">{texts.pays}</label>
      <input
        ref={field}
        id="amount"
        inputMode="decimal"
        autocomplete="off"
        required
        maxLength={40}
        value={choice.amount}
        onInput={change('amount')}
        aria-describedby="about fault"
      />
      <Choose name="from" label={texts.from} options={from} value={choice.from} onChange={change('from')} />
      <Choose name="to" label={texts.to} options={to} value={choice.to} onChange={change('to')} />
      <Fault text={isCurrent ? fault : undefined} />
      <p id="about">{hint}</p>
      <output for="amount from to">{shown && quoteText(shown, texts)}</output>
      <Wait texts={armed} />
      <button type="submit" class="main" aria-disabled={isWanted || !isArmed}>
        {action}
      </button>
    </form>
  );
}

const quoteText = ({ pays, gets, atLeast, value }: NonNullable<TradeScreen['quote']>, texts: Texts['trade']): string =>
  [texts.quote(pays, gets), atLeast && texts.least(atLeast), value && texts.value(value)].filter(Boolean).join(' ');

interface ChooseProps {
  name: string;
  label: string;
  options: TradeScreen['from'];
  value: string;
  onChange(event: { currentTarget: { value: string } }): void;
}

function Choose({ name, label, options, value, onChange }: ChooseProps) {
  const note = options.find((option) => option.name === value)?.note;
  return (
    <>
      <label for={name}>{label}</label>
      <select id={name} value={value} onChange={onChange} aria-describedby={`${name}-note`}>
        {options.map((option) => (
          <option key={option.name} value={option.name}>
            {option.name}
          </option>
        ))}
      </select>
      <p id={`${name}-note`}>{note}</p>
    </>
  );
}
