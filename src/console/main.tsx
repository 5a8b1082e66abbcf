// The console's page.
import { Provider } from '@urql/preact';
import { render } from 'preact';
import { client } from './api/client.js';
import { App } from './app.js';

const root = document.getElementById('console');
if (root !== null)
  render(
    <Provider value={client}>
      <App />
    </Provider>,
    root,
  );
