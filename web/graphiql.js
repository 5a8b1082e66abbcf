// GraphiQL with the gateway's examples, subscriptions over a WebSocket, and a field for a token that stays in this tab.
import { useEditorContext } from '@graphiql/react';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { setNonce } from 'get-nonce';
import { GraphiQL } from 'graphiql';
import { createClient } from 'graphql-ws';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import { CALLERS, OPERATIONS } from './operations.js';

// Menus write style elements; the policy allows those with this nonce.
setNonce(document.querySelector('meta[name="style-nonce"]').content);

const URL_PATH = '/graphql';
const [first] = OPERATIONS;
const kind = document.getElementById('kind');
const secret = document.getElementById('secret');
const who = document.getElementById('who');

/** The header of the token; none for anyone. */
function credentials() {
  const text = secret.value.trim();
  if (kind.value === '' || text === '') return {};
  return { [kind.value]: kind.value === 'authorization' ? `Bearer ${text}` : text };
}

const socketAddress = () => `${location.origin.replace(/^http/, 'ws')}${URL_PATH}`;
/** Connects with the first subscription, and again with another token. */
let client = newClient();
function newClient() {
  return createClient({ url: socketAddress(), lazy: true, retryAttempts: 3, connectionParams: credentials });
}

const request = (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...credentials() } });
const fetcher = createGraphiQLFetcher({
  url: URL_PATH,
  fetch: request,
  // Asked for each subscription, so that a new token has a new socket.
  wsClient: { subscribe: (...args) => client.subscribe(...args) },
});

async function showWho() {
  const body = JSON.stringify({ query: '{ whoAmI { kind } }' });
  const response = await request(URL_PATH, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { data, errors } = await response.json();
  who.textContent = data ? `You are: ${data.whoAmI.kind.toLowerCase()}.` : (errors?.[0]?.message ?? '');
}

document.getElementById('token').addEventListener('submit', (event) => {
  event.preventDefault();
  void client.dispose();
  client = newClient();
  void showWho();
});

function Examples() {
  const { queryEditor, variableEditor } = useEditorContext();
  const open = ({ query, variables }) => {
    queryEditor.setValue(query);
    variableEditor.setValue(variables);
  };
  const groups = [...new Set(OPERATIONS.map(({ group }) => group))];
  const entry = (operation) =>
    h(
      'button',
      { key: operation.title, type: 'button', onClick: () => open(operation) },
      operation.title,
      h('small', null, CALLERS[operation.caller]),
    );
  return h(
    'div',
    { className: 'examples' },
    h('div', { className: 'graphiql-doc-explorer-title' }, 'Examples'),
    groups.map((group) =>
      h('section', { key: group }, h('h3', null, group), OPERATIONS.filter((one) => one.group === group).map(entry)),
    ),
  );
}

const icon = () =>
  h(
    'svg',
    { viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 1.5, 'aria-hidden': true },
    h('path', { d: 'M5 4h14v16H5z M8 9h8 M8 13h8 M8 17h5' }),
  );

const examples = { title: 'Examples', icon, content: Examples };
// The console leads here with its query behind the #, which is not sent to a server.
const given = new URLSearchParams(location.hash.slice(1));
const asked = given.get('query');
if (asked !== null) history.replaceState(null, '', location.pathname);
const explorer = h(GraphiQL, {
  fetcher,
  plugins: [examples],
  // GraphiQL does not show variables of a first tab, so this operation has defaults.
  defaultTabs: [{ query: first.query }],
  ...(asked !== null && { query: asked, variables: given.get('variables') ?? '' }),
  defaultEditorToolsVisibility: 'variables',
  shouldPersistHeaders: false,
});
createRoot(document.getElementById('graphiql')).render(explorer);

/** Names for editors, which CodeMirror does not give its fields, and for what scrolls in them. */
function nameEditors() {
  const names = [
    ['.graphiql-query-editor', 'Query'],
    ['.graphiql-editor-tool .graphiql-editor:nth-child(1)', 'Variables'],
    ['.graphiql-editor-tool .graphiql-editor:nth-child(2)', 'Headers'],
    ['.graphiql-response', 'Response'],
  ];
  for (const [place, name] of names) {
    for (const field of document.querySelectorAll(`${place} .CodeMirror textarea`))
      field.setAttribute('aria-label', name);
    for (const box of document.querySelectorAll(`${place} .CodeMirror-scroll`)) box.tabIndex = 0;
  }
  const button = document.querySelector('.graphiql-sidebar button[aria-label="Show Examples"]');
  if (button === null || button.dataset.label) return;
  button.dataset.label = 'Examples';
  // Open beside the editors where there is room.
  if (matchMedia('(min-width: 700px)').matches) button.click();
}
new MutationObserver(nameEditors).observe(document.getElementById('graphiql'), { childList: true, subtree: true });

// In an editor, Tab indents. After Escape it leaves the editor, as everywhere else.
let leaves = false;
addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Tab' && leaves) event.stopImmediatePropagation();
    leaves = event.key === 'Escape' || (leaves && event.key === 'Shift');
  },
  { capture: true },
);
