// The proof library: loaded at first use only, and refused when its statements are laid out otherwise.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkRangeLayout, LibraryBroken, loadLibrary, rangeStatement, refused } from '../../src/zk/library.js';

const run = promisify(execFile);

type Write = (view: DataView, low: bigint, high: bigint) => void;

/** Ends of 64 bits at these places. */
function at64(lowAt: number, highAt: number, isLittle: boolean, highToo = highAt): Write {
  return (view, low, high) => {
    view.setBigUint64(highToo, high, isLittle);
    view.setBigUint64(lowAt, low, isLittle);
    view.setBigUint64(highAt, high, isLittle);
  };
}

function at32(lowAt: number, highAt: number): Write {
  return (view, low, high) => {
    view.setUint32(lowAt, Number(low & 0xffffffffn), true);
    view.setUint32(highAt, Number(high & 0xffffffffn), true);
  };
}

/** A library whose statements have their ends elsewhere. */
const laidOut = (write: Write) => ({
  generateBoundCheckBppStatementFromParamRefs(low: number, high: number): Uint8Array {
    const bytes = new Uint8Array(27).fill(7);
    write(new DataView(bytes.buffer), BigInt(low), BigInt(high));
    return bytes;
  },
});

describe('The proof library', () => {
  it('the installed proof library is accepted', async () => {
    const library = await loadLibrary();
    expect(() => checkRangeLayout(library)).not.toThrow();
    const theirs = library.generateBoundCheckBppStatementFromParamRefs(5, Number.MAX_SAFE_INTEGER, 1);
    expect(rangeStatement(library, { low: 5n, high: BigInt(Number.MAX_SAFE_INTEGER) }, 1)).toEqual(theirs);
    expect(() => library.generateBoundCheckBppStatementFromParamRefs(0, 2 ** 53, 1)).toThrow();
  });

  it.each<[string, Write]>([
    ['with the highest byte first', at64(1, 9, false)],
    ['with the ends in the other order', at64(9, 1, true)],
    ['with its kind in two bytes', at64(2, 10, true)],
    ['with ends of 32 bits', at32(1, 5)],
    ['with an end elsewhere too', at64(1, 9, true, 18)],
  ])('a proof library is refused %s', (_name, write) => {
    expect(() => checkRangeLayout(laidOut(write))).toThrow(LibraryBroken);
  });

  it('the proof library is not trusted after a panic; a refusal of its arguments is allowed', () => {
    const unreachable = (): never => {
      throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
    };
    expect(() => refused(unreachable)).toThrow(LibraryBroken);
    expect(
      refused(() => {
        throw 'Cannot deserialize';
      }),
    ).toBeUndefined();
    expect(refused(() => 5)).toBe(5);
  });

  it('the proof library is loaded by loadSuite, not with the module', async () => {
    const script = `
      const { loadSuite } = await import(${JSON.stringify(new URL('../../dist/zk/index.js', import.meta.url).href)});
      const { createRequire } = await import('node:module');
      const loaded = () => Object.keys(createRequire(import.meta.url).cache ?? {}).some((file) => file.includes('crypto-wasm'));
      const before = loaded();
      await loadSuite();
      console.log(JSON.stringify([before, loaded()]));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(stdout)).toEqual([false, true]);
  });
});
