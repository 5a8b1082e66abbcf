// `npm run bench`: our gateway side by side with its peers. `npm run bench -- catalog`: measures one group of bars and prints each as soon
// as it is known.
import { batchNeighbourBars } from './batch-neighbours.js';
import { catalogBars } from './catalog.js';
import { chainBars } from './chain.js';
import { timeBars } from './chain-times.js';
import { consoleBars } from './console.js';
import { engineBars } from './engine.js';
import { aggregateBars } from './engine-aggregate.js';
import { millionBars } from './engine-million.js';
import { sideBySide } from './graphql.js';
import { hostileBars } from './hostile/hostile.js';
import { idleBars } from './idle.js';
import { importBars } from './imports.js';
import { issuanceBars } from './issuance.js';
import { issuanceCostBars } from './issuance-cost.js';
import { peerBars } from './peers.js';
import { type Bar, isMet, lineOf, TooNoisy } from './report.js';
import { scaleBars } from './scale.js';
import { sdkBars } from './sdk.js';
import { startBars } from './start.js';
import { subscriptionBars } from './subscriptions.js';
import { tracingBars } from './tracing.js';
import { trafficBars } from './traffic.js';
import { verificationBars } from './verification.js';
import { versionBars } from './versions.js';
import { walletCrowdBars } from './wallet-crowd.js';
import { walletBars } from './wallets.js';
import { webhookBars } from './webhooks.js';

const GROUPS: Readonly<Record<string, () => AsyncIterable<Bar>>> = {
  aggregate: aggregateBars,
  'batch-neighbours': batchNeighbourBars,
  catalog: catalogBars,
  chain: chainBars,
  'chain-times': timeBars,
  console: consoleBars,
  engine: engineBars,
  'engine-million': millionBars,
  hostile: hostileBars,
  idle: idleBars,
  imports: importBars,
  issuance: issuanceBars,
  'issuance-cost': issuanceCostBars,
  peers: peerBars,
  scale: scaleBars,
  sdk: sdkBars,
  start: startBars,
  subscriptions: subscriptionBars,
  tracing: tracingBars,
  traffic: trafficBars,
  verification: verificationBars,
  versions: () => versionBars(process.argv.slice(3)),
  'wallet-crowd': walletCrowdBars,
  wallets: walletBars,
  webhooks: webhookBars,
};

async function main(names: readonly string[]): Promise<void> {
  // Each process and folder of a run cleans up after itself at the end.
  process.setMaxListeners(0);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  if (names.length === 0) return sideBySide();
  let missed = 0;
  const groups = names[0] === 'versions' ? names.slice(0, 1) : names;
  for (const name of groups) {
    const group = Object.hasOwn(GROUPS, name) ? GROUPS[name] : undefined;
    if (group === undefined)
      throw new Error(`There is no benchmark ${name}; there are ${Object.keys(GROUPS).join(', ')}.`);
    for await (const bar of group()) {
      console.log(lineOf(bar));
      if (!isMet(bar)) missed += 1;
    }
  }
  process.exitCode = missed === 0 ? 0 : 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof TooNoisy)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
