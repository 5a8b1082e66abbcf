// What no server on this machine can do without: a process that writes as many bytes to as many connections, and nothing else. It prints
// its processor time a write, microseconds: `node bare-writes.js <connections> <bytes> <rounds> <milliseconds between>`.
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const [connections = 0, bytes = 0, rounds = 0, every = 0] = process.argv.slice(2).map(Number);
const sockets: Socket[] = [];
const text = Buffer.alloc(bytes, 'x');

const server = createServer({ noDelay: true }, (socket) => {
  sockets.push(socket.on('error', () => {}));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' && address ? address.port : '');
});
while (sockets.length < connections) await delay(every);
await delay(1_000);
const before = process.cpuUsage();
for (let round = 0; round < rounds; round += 1) {
  for (const socket of sockets) socket.write(text);
  await delay(every);
}
const { user, system } = process.cpuUsage(before);
console.log((user + system) / (connections * rounds));
process.exit();
