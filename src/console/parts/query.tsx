// The query of a view, as GraphQL, as curl, and in GraphiQL.
import { useState } from 'preact/hooks';
import { type GeneratedDocument, hashOf } from '../api/client.js';
import { textOf } from '../api/document-text.js';
import { Scrolls } from './scrolls.js';

interface QueryOfProps<Data, Variables extends object> {
  document: GeneratedDocument<Data, Variables>;
  variables: Variables;
}

/** Shows the query of a view; its text is loaded when this is opened. */
export function QueryOf<Data, Variables extends object>({ document, variables }: QueryOfProps<Data, Variables>) {
  const [text, setText] = useState<string>();
  const open = ({ currentTarget }: { currentTarget: HTMLDetailsElement }): void => {
    if (currentTarget.open && text === undefined) void textOf(hashOf(document)).then(setText);
  };
  return (
    <details class="query" onToggle={open}>
      <summary>The query of this page</summary>
      {text && <QueryText text={text} variables={variables} />}
    </details>
  );
}

function QueryText({ text, variables }: { text: string; variables: object }) {
  const [said, setSaid] = useState('');
  const copy = async (what: string, name: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(what);
      setSaid(`Copied as ${name}.`);
    } catch {
      setSaid('This browser does not let pages copy; select the text and copy it by keyboard.');
    }
  };
  const values = JSON.stringify(variables, null, 2);
  return (
    <>
      <p class="actions">
        <button type="button" onClick={() => void copy(text, 'GraphQL')}>
          Copy as GraphQL
        </button>
        <button type="button" onClick={() => void copy(curlOf(text, variables), 'curl')}>
          Copy as curl
        </button>
        <a href={`/graphiql#${new URLSearchParams({ query: text, variables: values })}`}>Open in GraphiQL</a>
      </p>
      <p role="status">{said}</p>
      <Scrolls label="Text of the query">
        <pre>{text}</pre>
      </Scrolls>
      <Scrolls label="Its variables">
        <pre>{values}</pre>
      </Scrolls>
    </>
  );
}

function curlOf(query: string, variables: object): string {
  const body = JSON.stringify({ query: query.replace(/\s+/g, ' '), variables }).replaceAll("'", String.raw`'\''`);
  return `curl -s ${location.origin}/graphql -H 'content-type: application/json' \\\n  -d '${body}'`;
}
