// How a page disguises the wallet's frame, so that a click means something else to its user.
/** How a page has its frame look like something else: style of the dialog, style of the frame, or a script. */
export const DISGUISES: readonly [name: string, dialog: string, frame?: string, script?: string][] = [
  ['cropped to the bare button', 'width:120px!important;height:40px!important', 'margin:-540px 0 0 -140px!important'],
  ['scrolled to the bare button', 'height:60px!important;overflow:hidden!important', 'height:600px!important'],
  ['zoomed to .12', 'zoom:.12!important'],
  ['covered by its outline', '', 'outline:200px solid white!important;outline-offset:-200px!important'],
  ['covered by its inset shadow', '', 'box-shadow:inset 0 0 0 400px white!important'],
  ['nearly transparent', 'opacity:.01!important'],
  ['nearly transparent in its frame', '', 'opacity:.01!important'],
  ['turned over', 'transform:rotate(180deg)!important'],
  ['scaled down', 'transform:scale(.1)!important'],
  ['scaled by `scale`', 'scale:.1!important'],
  ['skewed', 'transform:skew(60deg)!important'],
  ['clipped', 'clip-path:inset(500px 100px 40px)!important'],
  ['masked', 'mask:linear-gradient(transparent,transparent)!important'],
  ['blurred', 'filter:blur(20px)!important'],
  ['blended away', 'mix-blend-mode:difference!important'],
  ['inverted by what is behind', 'backdrop-filter:invert(1)!important'],
  ['shrunken with a border', 'border:280px solid white!important'],
  [
    'under a popover that lets clicks through',
    '',
    '',
    `over = Object.assign(document.createElement('div'), { popover: 'manual' });
    over.style.cssText = 'inset:0;width:100%;height:100%;pointer-events:none;background:white';
    document.body.append(over); over.showPopover();`,
  ],
  [
    'under a second dialog that lets clicks through',
    '',
    '',
    `over = document.createElement('dialog');
    over.style.cssText = 'inset:0;width:100vw;height:100vh;pointer-events:none;background:white';
    document.body.append(over); over.show();`,
  ],
  ['under its own closed dialog', '', 'position:fixed!important;inset:0!important'],
  [
    'moved at the click',
    '',
    '',
    `addEventListener('blur', () => document.querySelector('dialog').style.setProperty('translate', '0 -200px', 'important'), { once: true });`,
  ],
];
