// Resolves names that others registered by asking the name servers itself. The system's resolver has two threads for the whole process: a few
// names whose servers do not respond would delay the calls to everybody else.
import { lookup, Resolver } from 'node:dns/promises';

/** Resolves a name to all its IP addresses. */
export type ResolveName = (hostname: string) => Promise<string[]>;

/** How long one query may take, milliseconds; a second query may take twice as long. */
const QUESTION = { timeout: 2_000, tries: 2 };
/** How long the list of this machine's name servers is cached, milliseconds. */
const SERVERS_MS = 30_000;

/** Resolves a name with the system's resolver, which also knows the names of this machine and of its network. */
export const systemResolve: ResolveName = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

/**
 * Creates a resolver whose queries do not wait for each other. Names without a dot (`localhost`) are resolved by the
 * system, because only it knows them.
 * @param servers name servers; default: those of this machine
 */
export function resolverOfNames(servers?: readonly string[]): ResolveName {
  let resolver = newResolver(servers);
  let since = performance.now();
  return async (hostname) => {
    if (!hostname.includes('.')) return systemResolve(hostname);
    if (performance.now() - since > SERVERS_MS) [resolver, since] = [newResolver(servers), performance.now()];
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
}

function newResolver(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver(QUESTION);
  if (servers) resolver.setServers(servers);
  return resolver;
}
