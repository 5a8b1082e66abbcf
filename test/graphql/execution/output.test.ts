// The parts of a response are written in order, whichever of them are complete first.
import { describe, expect, it } from 'vitest';
import { ResponseSize } from '../../../src/graphql/execution/response-size.js';
import { type Execution, type Output, written } from '../../../src/graphql/execution/output.js';

const runOf = (maxBytes: number): Execution => ({ context: {}, variables: {}, size: new ResponseSize(maxBytes) });
const run = runOf(1_000);
const write = (value: unknown, out: Output): void => {
  out.text += value;
};

describe('An answer', () => {
  it('an output is complete at once if nothing has to be awaited', () => {
    expect(written(run, (out) => write('all', out))).toBe('all');
  });

  it('an output has late values in their places, also inside other late values', async () => {
    const answer = written(run, (out) => {
      out.text += 'a';
      out.wait(new Promise((resolve) => setTimeout(resolve, 20, 'b')), (value, inner) => {
        inner.text += `(${value}`;
        inner.wait(Promise.resolve('c'), write);
        inner.text += ')';
      });
      out.wait(Promise.resolve('d'), write);
      out.text += 'e';
    });
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBe('a(bc)de');
  });

  it('an output fails if something in it fails, at once or later, and no rejection is unhandled', async () => {
    const unheard: unknown[] = [];
    const note = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', note);
    const failing = (out: Output) => out.wait(Promise.reject(new Error('later')), write);
    const atOnce = (out: Output) => {
      failing(out);
      throw new Error('at once');
    };
    expect(() => written(run, atOnce)).toThrow('at once');
    await expect(
      written(run, (out) => {
        out.wait(Promise.resolve(), (_value, inner) => atOnce(inner));
        failing(out);
      }),
    ).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', note);
    expect(unheard).toEqual([]);
  });
});

describe('An answer that gets too large', () => {
  const many = (out: Output): void => {
    for (let at = 0; at < 10; at += 1) out.wait(Promise.resolve('x'.repeat(30)), write);
  };

  it('an output whose pieces together are too large is refused', async () => {
    expect(await written(runOf(300), many)).toHaveLength(300);
    await expect(written(runOf(299), many)).rejects.toMatchObject({ code: 'QUERY_TOO_LARGE' });
  });

  it('an output that is too large writes nothing more', async () => {
    const run = runOf(10);
    expect(() => written(run, (out) => write('x'.repeat(11), out))).toThrow('larger');
    let more = 0;
    expect(() =>
      written(run, () => {
        more += 1;
      }),
    ).toThrow('larger');
    expect(more).toBe(0);
  });

  it('an output counts separately written text once, where it is inserted', () => {
    const aside = (out: Output): void => {
      const made = out.apart((own) => write('x'.repeat(60), own));
      out.text += made;
    };
    expect(written(runOf(100), aside)).toHaveLength(60);
    expect(() =>
      written(runOf(100), (out) => {
        aside(out);
        aside(out);
      }),
    ).toThrow('larger');
  });
});
