// Imports for tests in which several gateways write the same entries at once: the lines, and their results as far as they came.
import { type GatewayProcess, OPERATOR_KEY } from '../../support/gateway-process.js';

/** How many credentials two imports write, each of them twice in each. */
const CREDENTIALS = 1_500;
const LINES = 3_000;
/** Lines of one window. */
const WINDOW = 1_000;
export const ISSUERS = Array.from({ length: 12 }, (_, at) => `ti${at}`);
/** It comes and goes while imports name it. */
export const FLEETING = 'ti11';
export const SCHEMAS = Array.from({ length: 8 }, (_, at) => `ts${at}`);
const BAD = ['{"kind":"credentials","id":"torn"', '{"kind":"credentials","id":"cr1","__proto__":{}}'];
const REFUSALS = ['not JSON', 'names __proto__'];

export const credentialId = (at: number): string => `cr${at % CREDENTIALS}`;

/** A line of an import, and what is known of it. */
export interface SentLine {
  text: string;
  /** The entry, and the name that this line gives it; only for good lines. */
  entry?: { id: string; name: string; issuerId: string };
  /** A part of the message; only for bad lines. */
  refusal?: string | undefined;
}

/** The result of a line, as the gateway sent it. */
export interface LineResult {
  line: number;
  id: string | null;
  result: 'created' | 'updated' | 'unchanged' | 'refused';
  message?: string;
}

export const pointsOf = (version: number) => [
  { name: 'age', type: 'integer', isRequired: true, description: `Version ${version}` },
];

/** What the credentials need. */
export function foundation(): string {
  const issuers = ISSUERS.map((id) => ({
    kind: 'issuers',
    id,
    name: id,
    issuerDid: `did:web:${id}.example`,
    issuerFrom: 'EU',
  }));
  const schemas = SCHEMAS.map((id) => ({ kind: 'schemas', id, title: id, description: '', dataPoints: pointsOf(1) }));
  const programs = Array.from({ length: 40 }, (_, at) => ({
    ...{ kind: 'programs', id: `tp${at}`, name: `tp${at}`, description: '', verifierId: 'tv', pricingModel: 'free' },
    acceptedCredentials: [at, at + 400].map((id) => ({ credentialId: credentialId(id), verificationConditions: [] })),
  }));
  const credentials = programs.flatMap(({ acceptedCredentials }) =>
    acceptedCredentials.map(({ credentialId: id }) =>
      JSON.parse(lineOf({ id, name: `first ${id}`, issuerId: 'ti0' }, 0)),
    ),
  );
  const verifier = { kind: 'verifiers', id: 'tv', name: 'tv', verifierDid: 'did:web:tv.example' };
  return [...issuers, ...schemas, verifier, ...credentials, ...programs].map((line) => JSON.stringify(line)).join('\n');
}

function lineOf({ id, name, issuerId }: { id: string; name: string; issuerId: string }, at: number): string {
  const traction =
    at % 3 === 0 ? { traction: { holderCount: at % 5, issuanceCount: at % 7, verificationCount: 1 } } : {};
  const schemaId = SCHEMAS[at % SCHEMAS.length];
  return JSON.stringify({ kind: 'credentials', id, name, category: 'bulk', issuerId, schemaId, ...traction });
}

/**
 * The lines of one of two imports. Each credential is in each of them twice, never within one window; every fifth line is the same in
 * both, and all others have a name of their own.
 */
export function linesOf(importer: 'A' | 'B'): SentLine[] {
  const [step, first] = importer === 'A' ? [7, 0] : [11, 3];
  return Array.from({ length: LINES }, (_, at): SentLine => {
    if (at % 211 === 210) return { text: BAD[at % 2] ?? '', refusal: REFUSALS[at % 2] };
    const id = credentialId(at * step + first);
    if (at % 307 === 306) {
      const entry = { id, name: 'nobody', issuerId: 'nobody' };
      return { text: lineOf(entry, 0), refusal: '"issuerId" names no issuer: nobody.' };
    }
    const number = Number(id.slice(2));
    const isCommon = number % 5 === 0;
    const issuerId = number % 97 === 0 ? FLEETING : (ISSUERS[number % 11] ?? '');
    const entry = { id, name: isCommon ? `both ${id}` : `${importer} ${id} ${at < LINES / 2 ? 1 : 2}`, issuerId };
    return { text: lineOf(entry, number), entry };
  });
}

/** Lines that an import has sent when it is killed: more than two windows. */
const SENT_BEFORE_KILL = 2_200;

/** All lines; or the first ones, after which the request stays open. */
async function* bodyOf(lines: readonly SentLine[], killed: Promise<void> | undefined): AsyncGenerator<Uint8Array> {
  const textOf = (some: readonly SentLine[]) => new TextEncoder().encode(some.map(({ text }) => `${text}\n`).join(''));
  if (killed === undefined) yield textOf(lines);
  else {
    yield textOf(lines.slice(0, SENT_BEFORE_KILL));
    await killed;
  }
}

/** Sends lines and returns their results. With `kill`, it calls that after the results of the first window, and returns those that came. */
export async function importInto(
  gateway: GatewayProcess,
  lines: readonly SentLine[],
  kill?: () => Promise<void>,
): Promise<LineResult[]> {
  const stop = new AbortController();
  const killed = kill && new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()));
  let text = '';
  try {
    const response = await fetch(`${gateway.url}/v1/admin/import`, {
      method: 'POST',
      headers: { 'x-admin-api-key': OPERATOR_KEY, 'content-type': 'application/x-ndjson' },
      body: bodyOf(lines, killed) as unknown as ReadableStream,
      duplex: 'half',
    } as RequestInit);
    const decoder = new TextDecoder();
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      if (kill === undefined || stop.signal.aborted || text.split('\n').length <= WINDOW) continue;
      await kill();
      stop.abort();
    }
  } catch (error) {
    if (kill === undefined || !/fetch failed|terminated|other side closed/.test(String(error))) throw error;
  }
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
