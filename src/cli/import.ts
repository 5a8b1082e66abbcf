// `import`: reads files, sends entries kind by kind (so the order of files does not matter), and reports every refusal with its location.
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import { IMPORT_KINDS, type ImportKind } from '../catalog/admin/import.js';
import type { GatewayOptions } from './gateway.js';
import { filesOf, type ImportFault, type ImportRecord, type LineSpan, recordsOf } from './import-files.js';
import { type ImportTarget, openTarget } from './import-target.js';
import { ProgressBar, type ProgressStream } from './progress.js';

export interface ImportOptions extends GatewayOptions {
  json?: boolean;
}

/** The output streams; the process's own, except in tests. */
export interface CliOutput {
  out: ProgressStream;
  err: ProgressStream;
  /** Asks the person at the terminal; without it nobody can be asked. Resolves to undefined if the input ends. */
  ask?: ((question: string) => Promise<string | undefined>) | undefined;
}

interface ImportSummary {
  created: number;
  updated: number;
  unchanged: number;
  refused: ImportFault[];
  /** Documents without an id, with their generated one. */
  named: { place: string; id: string }[];
}

/** Runs an import; returns the exit code: 1 if anything failed. */
export async function runImport(
  config: Config,
  paths: readonly string[],
  options: ImportOptions,
  output: CliOutput,
): Promise<number> {
  if (paths.length === 0) throw badInput('Give files or folders, or --from with the address of a network.');
  const { files, faults } = await filesOf(paths);
  const summary: ImportSummary = { created: 0, updated: 0, unchanged: 0, refused: [...faults], named: [] };
  const content = await survey(files, summary.refused);
  const target = await openTarget(config, options);
  const bar = new ProgressBar('importing', content.total, output.err);
  const onPause = (why: string): void => {
    bar.clear();
    output.err.write(`${why}\n`);
  };
  let isComplete = false;
  try {
    for (const kind of IMPORT_KINDS) {
      await sendKind(target, kind, content.files.get(kind) ?? new Map(), summary, bar, onPause);
    }
    isComplete = true;
  } finally {
    bar.clear();
    // Also reports what was imported before the connection to the gateway broke.
    if (isComplete || countOf(summary) > 0) report(summary, target, options, output);
    await target.close();
  }
  return summary.refused.length > 0 ? 1 : 0;
}

/** How many entries have a result. */
const countOf = ({ created, updated, unchanged, refused }: ImportSummary): number =>
  created + updated + unchanged + refused.length;

interface ImportContent {
  /** For each kind, the files that contain it, with its span of lines. */
  files: Map<ImportKind, Map<string, LineSpan>>;
  total: number;
}

/** Reads all files once: counts the entries and collects the faults. */
async function survey(files: readonly string[], faults: ImportFault[]): Promise<ImportContent> {
  const content: ImportContent = { files: new Map(), total: 0 };
  for (const file of files) {
    for await (const { kind, number } of recordsOf(file, (fault) => faults.push(fault))) {
      const spans = content.files.get(kind) ?? new Map<string, LineSpan>();
      content.files.set(kind, spans.set(file, { first: spans.get(file)?.first ?? number, last: number }));
      content.total += 1;
    }
  }
  return content;
}

async function sendKind(
  target: ImportTarget,
  kind: ImportKind,
  files: ReadonlyMap<string, LineSpan>,
  summary: ImportSummary,
  bar: ProgressBar,
  onPause: (why: string) => void,
): Promise<void> {
  if (files.size === 0) return;
  // Lines whose results are pending; results arrive in the order of lines.
  const sent: Pick<ImportRecord, 'place' | 'madeId'>[] = [];
  const lines = async function* (): AsyncGenerator<string> {
    for await (const { place, madeId, line } of recordsOfKind(files, kind)) {
      sent.push({ place, ...(madeId === undefined ? {} : { madeId }) });
      yield line;
    }
  };
  for await (const answer of target.send(lines(), onPause)) {
    const { place, madeId } = sent.shift() ?? { place: '' };
    if (answer.result === 'refused') summary.refused.push({ place, message: answer.message ?? 'refused' });
    else summary[answer.result] += 1;
    if (madeId !== undefined && answer.result !== 'refused') summary.named.push({ place, id: madeId });
    bar.update(countOf(summary), summary.refused.length > 0 ? `${summary.refused.length} refused` : '');
  }
  for (const { place } of sent) summary.refused.push({ place, message: 'the gateway did not respond' });
}

async function* recordsOfKind(files: ReadonlyMap<string, LineSpan>, kind: ImportKind): AsyncGenerator<ImportRecord> {
  for (const [file, span] of files) {
    for await (const record of recordsOf(file, () => {}, span)) if (record.kind === kind) yield record;
  }
}

function report(summary: ImportSummary, target: ImportTarget, { json }: ImportOptions, { out }: CliOutput): void {
  const { created, updated, unchanged, refused, named } = summary;
  if (json) {
    const ids = named.length === 0 ? {} : { named };
    out.write(`${JSON.stringify({ target: target.name, created, updated, unchanged, refused, ...ids })}\n`);
    return;
  }
  for (const { place, id } of named) out.write(`named    ${place}: ${id}\n`);
  for (const { place, message } of refused) out.write(`refused  ${place}: ${message}\n`);
  out.write(
    `imported into ${target.name}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${refused.length} refused\n`,
  );
}
