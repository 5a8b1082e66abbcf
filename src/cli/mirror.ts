// `import --from`: mirrors the catalog of another network, through a running gateway or directly into the store.
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import type { MirrorLine, MirrorProgress, MirrorSummary } from '../catalog/mirror/mirror.js';
import type { MirrorRequest } from '../catalog/mirror/mirror-record.js';
import type { MirrorReport } from '../catalog/mirror/mirror-run.js';
import { CLI } from './caller.js';
import { findGateway, operatorKeyFor } from './gateway.js';
import type { CliOutput, ImportOptions } from './import.js';
import { openStoreApp, postForLines, storeName } from './import-target.js';

export type MirrorFlags = MirrorRequest;

/** Results that are listed, because a person has to check them. */
const SHOWN: ReadonlySet<string> = new Set(['refused', 'kept', 'missing']);

/** Most reports in the JSON output. */
const MAX_REPORTS = 10_000;

/** Runs a mirror once; returns the exit code: 1 if anything was refused or the run stopped. */
export async function runMirror(
  config: Config,
  paths: readonly string[],
  options: ImportOptions & Partial<MirrorFlags>,
  output: CliOutput,
): Promise<number> {
  const { from, full = false, overwrite = false } = options;
  if (from === undefined || paths.length > 0) throw badInput('Give either files or --from.');
  const { name, lines } = await openMirror(config, options, { from, full, overwrite });
  const reports: MirrorReport[] = [];
  let summary: MirrorSummary | undefined;
  for await (const line of lines) {
    if (isProgress(line)) showProgress(line, output);
    else if (isSummary(line)) summary = line;
    else if (SHOWN.has(line.result)) {
      if (!options.json) output.out.write(`${sentenceOf(line)}\n`);
      else if (reports.length < MAX_REPORTS) reports.push(line);
    }
  }
  if (summary === undefined) throw badInput('The gateway ended the run without a summary; run it again to continue.');
  output.out.write(
    `${options.json ? JSON.stringify({ target: name, ...summary, reports }) : totalsOf(summary, name)}\n`,
  );
  return summary.result === 'done' && summary.refused === 0 ? 0 : 1;
}

async function openMirror(config: Config, options: ImportOptions, request: MirrorRequest) {
  const url = await findGateway(config, options);
  if (url === undefined) return { name: storeName(config), lines: inStore(config, request) };
  const body = JSON.stringify(request);
  const call = { body, headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' } };
  return {
    name: url,
    lines: postForLines<MirrorLine>(`${url}/v1/admin/mirrors`, operatorKeyFor(config, options), call),
  };
}

async function* inStore(config: Config, request: MirrorRequest): AsyncGenerator<MirrorLine> {
  const app = await openStoreApp(config);
  try {
    yield* app.services.mirrors.run(CLI, request);
  } finally {
    await app.close();
  }
}

const isProgress = (line: MirrorLine): line is MirrorProgress => line.result === 'begun' || line.result === 'reading';
const isSummary = (line: MirrorLine): line is MirrorSummary => line.result === 'done' || line.result === 'stopped';

function showProgress({ phase, page, ...counts }: MirrorProgress, { err }: CliOutput): void {
  const done = counts.created + counts.updated + counts.unchanged;
  if (err.isTTY) err.write(`\r\u001b[2Kreading ${phase}, page ${page}: ${done} entries`);
}

function sentenceOf({ kind, id, result, message }: MirrorReport): string {
  return `${result.padEnd(8)} ${id === '' ? kind : `${kind}/${id}`}${message === undefined ? '' : `: ${message}`}`;
}

function totalsOf({ source, result, continued, message, ...counts }: MirrorSummary, target: string): string {
  const { created, updated, unchanged, refused, kept, missing } = counts;
  const all = `${created} created, ${updated} updated, ${unchanged} unchanged, ${kept} kept, ${missing} missing, ${refused} refused`;
  const how = continued ? ' (an interrupted run, continued)' : '';
  if (result === 'done') return `mirrored ${source} into ${target}${how}: ${all}`;
  return `stopped mirroring ${source} into ${target}${how}: ${all}\n${message ?? ''} Run it again to continue.`;
}
