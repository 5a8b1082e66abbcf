// Ten clients that increment one document in transactions: nothing is lost, and who comes second is told at once, as MongoDB does.
import { type Collection, MongoClient, MongoServerError } from 'mongodb';
import { type Bar, timed } from './report.js';

const CLIENTS = 10;
const INCREMENTS = 100;
const WRITE_CONFLICT = 112;

interface Counter {
  _id: string;
  n: number;
}

/** Increments so many times, each in a transaction that is tried again when it conflicts; answers how many tries there were. */
async function increment(uri: string, times: number): Promise<number> {
  const client = await MongoClient.connect(uri);
  const counters = client.db('bench').collection<Counter>('counters');
  let tries = 0;
  try {
    for (let done = 0; done < times; done += 1) {
      await client.withSession((session) =>
        session.withTransaction(() => {
          tries += 1;
          return counters.updateOne({ _id: 'one' }, { $inc: { n: 1 } }, { session });
        }),
      );
    }
    return tries;
  } finally {
    await client.close();
  }
}

/** How long the second writer of a document waits for its conflict while the first goes on, milliseconds; NaN when it gets another answer. */
async function toldAfter(client: MongoClient, counters: Collection<Counter>): Promise<number> {
  const [first, second] = [client.startSession(), client.startSession()];
  const write = (session: typeof first) => counters.updateOne({ _id: 'one' }, { $inc: { n: 0.5 } }, { session });
  first.startTransaction();
  second.startTransaction();
  await write(first);
  let error: unknown;
  const time = await timed(() =>
    write(second).catch((reason: unknown) => {
      error = reason;
    }),
  );
  await first.abortTransaction();
  await Promise.all([first.endSession(), second.endSession()]);
  const conflict = error instanceof MongoServerError && error.code === WRITE_CONFLICT;
  return conflict && error instanceof MongoServerError && error.hasErrorLabel('TransientTransactionError')
    ? time
    : Number.NaN;
}

/** The bars of transactions that meet at one document. */
export async function* conflictBars(uri: string): AsyncIterable<Bar> {
  const client = await MongoClient.connect(uri);
  try {
    const counters = client.db('bench').collection<Counter>('counters');
    await counters.insertOne({ _id: 'one', n: 0 });
    const told = await toldAfter(client, counters);
    const limits = { limit: 50, holds: 'at most', unit: 'ms' } as const;
    yield { ...limits, name: 'the second writer of a document is told of its conflict after', measured: told };
    let tries = 0;
    const time = await timed(async () => {
      const each = await Promise.all(Array.from({ length: CLIENTS }, () => increment(uri, INCREMENTS)));
      tries = each.reduce((sum, one) => sum + one, 0);
    });
    const total = CLIENTS * INCREMENTS;
    const sum = (await counters.findOne({ _id: 'one' }))?.n ?? Number.NaN;
    yield {
      name: `${total} increments of one document by ${CLIENTS} clients, share that arrived`,
      measured: sum > total ? Number.NaN : sum / total,
      limit: 1,
      holds: 'at least',
      unit: '',
      detail: `${tries - total} conflicts, each tried again; ${Math.round((total / time) * 1_000)}/s`,
    };
  } finally {
    await client.close();
  }
}
