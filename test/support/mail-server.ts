// A mail server on the loopback interface that keeps what it receives.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Received {
  to: string[];
  text: string;
}

/** Starts one. While `refusal.refuses`, it refuses what it receives. */
export async function startMailServer(received: Received[], refusal = { refuses: false }) {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        });
        done(refusal.refuses ? Object.assign(new Error('no room'), { responseCode: 452 }) : undefined);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const close = () => new Promise<void>((done) => server.close(done));
  return { server, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, close };
}
