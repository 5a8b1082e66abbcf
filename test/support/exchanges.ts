// The last requests of a test, their responses, and the last lines of gateways: shown when the test fails.

interface Exchange {
  method: string;
  url: string;
  /** The body of the request, if it is text. */
  sent: unknown;
  status: number;
  /** The body of the response. */
  text: string;
}

const MOST_EXCHANGES = 3;
const MOST_LINES = 20;
/** Of a body or a line, in characters. */
const MOST_TEXT = 2_000;

/** Of the process: fetch is wrapped once for all its test files. */
const NOTES = Symbol.for('credential-gateway.exchanges');
const shared = globalThis as { [NOTES]?: { exchanges: Exchange[]; lines: string[] } };
shared[NOTES] ??= { exchanges: [], lines: [] };
const notes = shared[NOTES];

/** Notes a request and its response. */
export function noteExchange(exchange: Exchange): void {
  notes.exchanges.push(exchange);
  if (notes.exchanges.length > MOST_EXCHANGES) notes.exchanges.shift();
}

/** Notes what a gateway has printed or logged. */
export function noteOutput(text: string): void {
  notes.lines.push(text.trimEnd());
  if (notes.lines.length > MOST_LINES) notes.lines.shift();
}

/** Forgets everything, for the next test. */
export function clearNotes(): void {
  notes.exchanges = [];
  notes.lines = [];
}

const short = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

/** What is noted, for a person; empty if nothing is. */
export function notesText(): string {
  const exchanges = notes.exchanges.flatMap(({ method, url, sent, status, text }) => [
    `> ${method} ${url}${typeof sent === 'string' ? ` ${short(sent)}` : ''}`,
    `< ${status} ${short(text)}`,
  ]);
  const lines = notes.lines.map(short);
  return [
    ...(exchanges.length > 0 ? ['The last requests and responses:', ...exchanges] : []),
    ...(lines.length > 0 ? ["The gateways' last lines:", ...lines] : []),
  ].join('\n');
}
