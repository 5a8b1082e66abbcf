// Imports files of entries and JSON Schema documents: shows what they become, and then the result of each.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Fault } from '../api/fault.js';
import { RestFault } from '../api/rest.js';
import { Said } from '../parts/said.js';
import { Scrolls } from '../parts/scrolls.js';
import { counted, number, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { importFile, type LineResult } from './import-lines.js';
import { type ImportPlan, isSentWhole, planOf } from './import-plan.js';
import { PlanView } from './import-plan-view.js';

type Result = LineResult['result'];
type Results = Readonly<Record<Result, readonly LineResult[]>>;

const NONE: Results = { refused: [], created: [], updated: [], unchanged: [] };
/** How many lines of each result the page shows. The file of results has all lines. */
const SHOWN = 200;

interface Import {
  state: 'running' | 'finished' | 'cut';
  results: Results;
  fault?: Fault;
  /** Where each line comes from, if the file that was sent is none of those chosen. */
  places?: readonly string[];
}

/** What is sent. */
interface Due {
  content: Blob;
  places?: readonly string[];
}

function dueOf(files: readonly File[], plan: ImportPlan | undefined): Due | undefined {
  const [first] = files;
  if (first && isSentWhole(files)) return { content: first };
  if (plan === undefined || plan.entries.length === 0) return undefined;
  const lines = plan.entries.map(({ line }) => `${line}\n`);
  return { content: new Blob(lines), places: plan.entries.map(({ place }) => place) };
}

export function ImportPage() {
  const [files, setFiles] = useState<readonly File[]>([]);
  const [plan, setPlan] = useState<ImportPlan>();
  const { current, start, stop } = useImport();
  const choose = async (chosen: readonly File[]): Promise<void> => {
    setFiles(chosen);
    setPlan(undefined);
    if (chosen.length > 0 && !isSentWhole(chosen)) setPlan(await planOf(chosen));
  };
  const due = dueOf(files, plan);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (due) void start(due);
  };
  const isRunning = current?.state === 'running';
  return (
    <>
      <Title text="Import" />
      <p>
        JSON Schema files as they are published, files of entries, or both; choose them, or drop them on the field. An
        entry replaces the one with its id; importing the same again changes nothing.
      </p>
      <form class="filters" onSubmit={submit}>
        <label class="wide">
          The files
          <input
            type="file"
            required
            multiple
            accept=".json,.ndjson,.jsonl,application/json,application/schema+json,application/x-ndjson"
            onChange={({ currentTarget }) => void choose([...(currentTarget.files ?? [])])}
          />
        </label>
        <button type="submit" class="main" disabled={isRunning || due === undefined}>
          Import
        </button>
        {isRunning && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </form>
      <Said fault={current?.fault} />
      {current && <Outcome current={current} />}
      {plan && <PlanView plan={plan} />}
    </>
  );
}

/** Runs one import at a time. When the reader leaves the page, the import is stopped. */
function useImport() {
  const [current, setCurrent] = useState<Import>();
  const abort = useRef<AbortController>();
  useEffect(() => () => abort.current?.abort(), []);
  const start = async ({ content, places }: Due): Promise<void> => {
    const controller = new AbortController();
    abort.current = controller;
    const results = { refused: [], created: [], updated: [], unchanged: [] } as Record<Result, LineResult[]>;
    const shown = places ? { places } : {};
    setCurrent({ state: 'running', results: NONE, ...shown });
    try {
      for await (const lines of importFile(content, controller.signal)) {
        for (const line of lines) results[line.result].push(line);
        setCurrent({ state: 'running', results: { ...results }, ...shown });
      }
      setCurrent({ state: 'finished', results, ...shown });
    } catch (error) {
      const fault = error instanceof RestFault ? error.fault : { sentence: CUT };
      setCurrent({ state: 'cut', results, fault, ...shown });
    }
  };
  return { current, start, stop: () => abort.current?.abort() };
}

const CUT =
  'The import was interrupted: lines without a result may be written or not. Import the file again; it changes what is missing.';

const NAMES: Readonly<Record<Result, string>> = {
  refused: 'refused',
  created: 'created',
  updated: 'changed',
  unchanged: 'as they were',
};

function Outcome({ current: { state, results, places } }: { current: Import }) {
  const all = Object.values(results).flat();
  const counts = Object.entries(NAMES).map(([result, name]) => `${number(results[result as Result].length)} ${name}`);
  return (
    <>
      <p role="status">
        {state === 'finished' ? 'The import is finished' : 'So far'}: {counts.join(', ')}.
      </p>
      {Object.entries(NAMES).map(([result, name]) => {
        const lines = results[result as Result];
        if (lines.length === 0) return null;
        return (
          <details key={result} open={result === 'refused'}>
            <summary>
              {counted(lines.length, 'line')} {name}
            </summary>
            <Scrolls label={`Lines that are ${name}`}>
              <ul class="lines">
                {lines.slice(0, SHOWN).map((line) => (
                  <Line key={line.line} line={line} place={places?.[line.line - 1]} />
                ))}
              </ul>
              {lines.length > SHOWN && <p>And {number(lines.length - SHOWN)} more; the file of results has them.</p>}
            </Scrolls>
          </details>
        );
      })}
      {state !== 'running' && all.length > 0 && <ResultFile lines={all} />}
    </>
  );
}

function Line({ line: { line, kind, id, message }, place }: { line: LineResult; place: string | undefined }) {
  return (
    <li class={message ? 'fault' : undefined}>
      {place === undefined ? `Line ${line}` : <Text text={place} />}: {kind && <Text text={kind} />}{' '}
      <code>{id && <Text text={id} />}</code> {message && <Text text={message} />}
    </li>
  );
}

/** The results of all lines, in their order, as NDJSON. */
function ResultFile({ lines }: { lines: readonly LineResult[] }) {
  const [address, setAddress] = useState('');
  useEffect(() => {
    const text = [...lines].sort((a, b) => a.line - b.line).map((line) => `${JSON.stringify(line)}\n`);
    const url = URL.createObjectURL(new Blob(text, { type: 'application/x-ndjson' }));
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [lines.length]);
  return (
    <p>
      <a href={address} download="results.ndjson">
        Results of all lines
      </a>
    </p>
  );
}
