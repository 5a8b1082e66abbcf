// Credentials that the reader has ticked, for the plan: "what could I open with these?". They are in memory, and lost when the page is closed.
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { counted } from '../parts/text.js';

/** The most credentials of one plan. */
const MAX_TICKS = 100;

let ticks: readonly string[] = [];
const listeners = new Set<(ticks: readonly string[]) => void>();

function setTicks(next: readonly string[]): void {
  ticks = next.slice(0, MAX_TICKS);
  for (const listener of listeners) listener(ticks);
}

function useTicks(): readonly string[] {
  const [value, setValue] = useState(ticks);
  useEffect(() => {
    listeners.add(setValue);
    return () => void listeners.delete(setValue);
  }, []);
  return value;
}

/** A checkbox for a credential. */
export function TickBox({ id, name }: { id: string; name: string }) {
  const all = useTicks();
  const isTicked = all.includes(id);
  const change = (): void => setTicks(isTicked ? all.filter((one) => one !== id) : [...all, id]);
  return (
    <input
      type="checkbox"
      checked={isTicked}
      onChange={change}
      aria-label={`Plan with ${name.slice(0, 80)}`}
      title="Plan with this credential"
    />
  );
}

/** A link to the plan, shown while something is ticked. */
export function TickBar() {
  const all = useTicks();
  return (
    <p role="status" class={all.length > 0 ? 'ticks' : 'ticks none'}>
      {all.length > 0 && (
        <>
          {counted(all.length, 'credential')} ticked.{' '}
          <Link href={`/plan?${new URLSearchParams(all.map((id) => ['holding', id]))}`}>What do they open?</Link>{' '}
          <button type="button" class="plain" onClick={() => setTicks([])}>
            Untick all
          </button>
        </>
      )}
    </p>
  );
}
