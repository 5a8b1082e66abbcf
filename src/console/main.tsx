// The console's page.
import { Provider } from '@urql/preact';
import { render } from 'preact';
import { useMemo } from 'preact/hooks';
import { newClient } from './api/client.js';
import { useSession } from './api/session.js';
import { App } from './app.js';

/** Keyed by the caller, so that one caller's data is not shown to the next. */
function Console() {
  const session = useSession();
  const client = useMemo(newClient, [session]);
  return (
    <Provider value={client}>
      <App />
    </Provider>
  );
}

const root = document.getElementById('console');
if (root !== null) render(<Console />, root);
