// PostGraphile over the PostgreSQL at the address that is its argument, tuned as its documentation advises.
// The documents that it is asked, a JSON list, are the second. Prints its address when it is ready.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import PersistedPlugin from '@grafserv/persisted';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

// PostGraphile 5.1 is made for Node 22; this is all that it uses of it beyond Node 20.
Promise.withResolvers ??= () => {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  return deferred;
};

const [connectionString, documents, connections] = process.argv.slice(2);
const hashOf = (document) => createHash('sha256').update(document).digest('hex');

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [PersistedPlugin.default ?? PersistedPlugin],
  // No settings for each request (`pgSettings`): then a read needs no transaction of its own.
  pgServices: [
    makePgService({
      connectionString,
      schemas: ['bench'],
      pubsub: false,
      poolConfig: { min: Number(connections), max: Number(connections) },
    }),
  ],
  grafast: { explain: false },
  grafserv: {
    watch: false,
    graphiql: false,
    websockets: false,
    persistedOperations: Object.fromEntries(JSON.parse(documents).map((document) => [hashOf(document), document])),
  },
};

const serv = postgraphile(preset).createServ(grafserv);
const server = createServer();
await serv.addTo(server);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
