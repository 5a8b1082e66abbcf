// An answer is written in order, whatever of it comes later.
import { describe, expect, it } from 'vitest';
import { type Output, type Run, written } from '../../src/graphql/output.js';

const run: Run = { context: {}, variables: {} };
const write = (value: unknown, out: Output): void => {
  out.text += value;
};

describe('An answer', () => {
  it('is there at once when nothing is waited for', () => {
    expect(written(run, (out) => write('all', out))).toBe('all');
  });

  it('has what comes later in its place, also within what comes later', async () => {
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

  it('fails with what fails in it, at once or later, and no failure goes unheard', async () => {
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
