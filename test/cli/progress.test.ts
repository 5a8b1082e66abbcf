// Progress: a bar that is redrawn on a terminal, a line now and then in a log.
import { describe, expect, it } from 'vitest';
import { ProgressBar } from '../../src/cli/progress.js';

function draw(isTTY: boolean) {
  const written: string[] = [];
  let now = 1_000_000;
  const out = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
  return { bar: new ProgressBar('importing', 200, out, () => now), written, pass: (ms: number) => (now += ms) };
}

describe('progress', () => {
  it('progress is one line on a terminal, redrawn ten times a second and removed at the end', () => {
    const { bar, written, pass } = draw(true);
    bar.update(50);
    bar.update(51);
    pass(100);
    bar.update(100, '2 refused');
    bar.update(200);
    bar.clear();
    const line = (text: string) => `\r\u001b[2K${text}`;
    expect(written).toEqual([
      line(`importing [${'#'.repeat(8)}${'.'.repeat(22)}] 50/200`),
      line(`importing [${'#'.repeat(15)}${'.'.repeat(15)}] 100/200, 1000/s, 1 s left, 2 refused`),
      line(`importing [${'#'.repeat(30)}] 200/200, 2000/s`),
      line(''),
    ]);
  });

  it('progress is a plain line every few seconds elsewhere', () => {
    const { bar, written, pass } = draw(false);
    bar.update(50);
    pass(5_000);
    bar.update(100, '2 refused');
    bar.update(200);
    bar.clear();
    expect(written).toEqual(['importing 100/200, 20/s, 5 s left, 2 refused\n']);
  });

  it.each([
    [5, 5, '1.0/s, 115 s left'],
    [1, 10, '0.1/s, 20 min left'],
    [3, 3_600, '0.0/s, 39 h left'],
    [119, 10, '12/s, 1 s left'],
    [0, 10, ''],
  ])('progress after %s of 120 in %s s is %j', (done, seconds, pace) => {
    const written: string[] = [];
    let now = 0;
    const out = { isTTY: false, write: (text: string) => written.push(text) };
    const bar = new ProgressBar('importing', 120, out, () => now);
    now = seconds * 1_000;
    bar.update(done);
    expect(written).toEqual([`importing ${done}/120${pace === '' ? '' : `, ${pace}`}\n`]);
  });
});
