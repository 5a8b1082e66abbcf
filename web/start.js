// The start page: whether the gateway is ready, and what the catalog holds, counted anew when the catalog changes.
import { createClient } from 'graphql-ws';

const QUERY = `{
  credentials(first: 3) {
    nodes { name issuer { name } programs(first: 2) { nodes { name verifier { name } } } }
  }
}`;
const KINDS = ['credentials', 'issuers', 'schemas', 'programs', 'verifiers'];
const COUNTS = `{ ${KINDS.map((kind) => `${kind}(first: 1) { totalCount }`).join(' ')} }`;
const EVERY_MS = 10_000;
/** How long the page is out of sight until its socket is closed. */
const UNSEEN_MS = 30_000;

const cell = (name) => document.querySelector(`[data-count="${name}"]`);

async function showState() {
  const state = document.getElementById('state');
  try {
    const { status, problems = [] } = await (await fetch('/health/ready')).json();
    const words = status === 'ready' ? 'Ready.' : 'Not ready: the store does not answer.';
    state.textContent = [words, ...problems].join(' ');
  } catch {
    state.textContent = 'The gateway does not answer.';
  }
}

async function showCounts() {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: COUNTS }),
  });
  const { data } = await response.json();
  for (const kind of KINDS) cell(kind).textContent = data?.[kind]?.totalCount?.toLocaleString('en') ?? 'closed';
}

/** Counts what the catalog reports, by a GraphQL subscription over a WebSocket: event streams would use up the browser's few connections. */
function followChanges() {
  const url = `${location.origin.replace(/^http/, 'ws')}/graphql`;
  const socket = createClient({ url, retryAttempts: Number.POSITIVE_INFINITY, shouldRetry: () => true });
  let changes = 0;
  const next = () => {
    changes += 1;
    cell('changes').textContent = changes.toLocaleString('en');
    void showCounts();
  };
  let stop;
  let timer;
  // What was missed is in the counts.
  const see = () => {
    stop ??= socket.subscribe({ query: 'subscription { catalogChanged { id } }' }, { next, error() {}, complete() {} });
  };
  const leave = () => {
    stop?.();
    stop = undefined;
  };
  // A page that nobody sees has no connection, nor has one in the back/forward cache.
  const look = () => {
    clearTimeout(timer);
    if (document.visibilityState === 'visible') see();
    else timer = setTimeout(leave, UNSEEN_MS);
  };
  document.addEventListener('visibilitychange', look);
  addEventListener('pagehide', leave);
  addEventListener('pageshow', look);
  look();
}

async function refresh() {
  await Promise.allSettled([showState(), showCounts()]);
}

const address = `${location.origin}/graphql`;
const body = JSON.stringify({ query: QUERY.replace(/\s+/g, ' ') });
document.getElementById('query').textContent = QUERY;
document.getElementById('curl').textContent =
  `curl -s ${address} -H 'content-type: application/json' \\\n  -d '${body}'`;

/** Copies a text; where the browser does not allow it (http beyond this machine), selects it. */
async function copy(source) {
  const said = document.getElementById('copied');
  try {
    await navigator.clipboard.writeText(source.textContent);
    said.textContent = 'Copied.';
  } catch {
    getSelection().selectAllChildren(source);
    said.textContent = 'Selected; copy it with the keyboard.';
  }
}
for (const button of document.querySelectorAll('[data-copies]'))
  button.addEventListener('click', () => void copy(document.getElementById(button.dataset.copies)));

await refresh();
followChanges();
setInterval(refresh, EVERY_MS);
