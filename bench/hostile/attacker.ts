// `node dist/bench/hostile/attacker.js <url> [attack…]`: the stranger, as a process of its own, until it is told to end. Prints what it did.
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS } from './attacks.js';

const [url = '', ...names] = process.argv.slice(2);
const attempts: Record<string, number> = {};
let ended = false;

process.once('SIGTERM', () => {
  ended = true;
  console.log(JSON.stringify(attempts));
  process.exit(0);
});

for (const [name, attack, concurrent] of ATTACKS) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (let at = 0; at < concurrent; at += 1) {
    void (async () => {
      while (!ended) {
        // What is refused or cut off is what the stranger expects; a gateway that is gone is found by those who measure.
        await attack(url).catch(() => delay(5));
        attempts[name] = (attempts[name] ?? 0) + 1;
      }
    })();
  }
}
