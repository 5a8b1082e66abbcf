// Imports a file of entries, and shows the result of each line.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Fault } from '../api/fault.js';
import { RestFault } from '../api/rest.js';
import { Said } from '../parts/said.js';
import { Scrolls } from '../parts/scrolls.js';
import { counted, number, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { importFile, type LineResult } from './import-lines.js';

type Result = LineResult['result'];
type Results = Readonly<Record<Result, readonly LineResult[]>>;

const NONE: Results = { refused: [], created: [], updated: [], unchanged: [] };
/** How many lines of each result the page shows. The file of results has all lines. */
const SHOWN = 200;

interface Import {
  state: 'running' | 'finished' | 'cut';
  results: Results;
  fault?: Fault;
}

export function ImportPage() {
  const [file, setFile] = useState<File>();
  const { current, start, stop } = useImport();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (file) void start(file);
  };
  const isRunning = current?.state === 'running';
  return (
    <>
      <Title text="Import" />
      <p>
        A file in NDJSON: an entry on each line, as <code>{'{"kind": "issuers", "id": "…", …}'}</code>. An entry
        replaces the one with its id; importing the same file again changes nothing. Bundles and folders are imported by{' '}
        <code>npm run cli -- import</code>.
      </p>
      <form class="filters" onSubmit={submit}>
        <label class="wide">
          The file
          <input
            type="file"
            required
            accept=".ndjson,.jsonl,application/x-ndjson"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
          />
        </label>
        <button type="submit" class="main" disabled={isRunning || file === undefined}>
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
    </>
  );
}

/** Runs one import at a time. When the reader leaves the page, the import is stopped. */
function useImport() {
  const [current, setCurrent] = useState<Import>();
  const abort = useRef<AbortController>();
  useEffect(() => () => abort.current?.abort(), []);
  const start = async (file: File): Promise<void> => {
    const controller = new AbortController();
    abort.current = controller;
    const results = { refused: [], created: [], updated: [], unchanged: [] } as Record<Result, LineResult[]>;
    setCurrent({ state: 'running', results: NONE });
    try {
      for await (const lines of importFile(file, controller.signal)) {
        for (const line of lines) results[line.result].push(line);
        setCurrent({ state: 'running', results: { ...results } });
      }
      setCurrent({ state: 'finished', results });
    } catch (error) {
      const fault = error instanceof RestFault ? error.fault : { sentence: CUT };
      setCurrent({ state: 'cut', results, fault });
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

function Outcome({ current: { state, results } }: { current: Import }) {
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
                  <Line key={line.line} line={line} />
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

function Line({ line: { line, kind, id, message } }: { line: LineResult }) {
  return (
    <li class={message ? 'fault' : undefined}>
      Line {line}: {kind && <Text text={kind} />} <code>{id && <Text text={id} />}</code>{' '}
      {message && <Text text={message} />}
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
