// A modal of each of six libraries, as it comes, with a button that logs in.
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { FloatingFocusManager, FloatingOverlay, FloatingPortal, useFloating } from '@floating-ui/react';
import { DialogPanel, Dialog as HeadlessDialog } from '@headlessui/react';
import MuiModal from '@mui/material/Modal';
import * as Radix from '@radix-ui/react-dialog';
import { createElement as h } from 'react';
import { Dialog as AriaDialog, Modal as AriaModal } from 'react-aria-components';
import { createRoot } from 'react-dom/client';

const button = h('button', { type: 'button', onClick: () => window.begin() }, 'Log in');

function FloatingModal() {
  const { refs, context } = useFloating({ open: true });
  const modal = h('div', { ref: refs.setFloating, role: 'dialog', 'aria-label': 'Page' }, button);
  const managed = h(FloatingFocusManager, { context, modal: true, outsideElementsInert: true }, modal);
  return h(FloatingPortal, null, h(FloatingOverlay, { lockScroll: true }, managed));
}

const MODALS = {
  radix: () =>
    h(
      Radix.Root,
      { open: true },
      h(
        Radix.Portal,
        null,
        h(Radix.Overlay),
        h(Radix.Content, { 'aria-describedby': undefined }, h(Radix.Title, null, 'Page'), button),
      ),
    ),
  'react-aria': () => h(AriaModal, { isOpen: true }, h(AriaDialog, { 'aria-label': 'Page' }, button)),
  'floating-ui': () => h(FloatingModal),
  mui: () => h(MuiModal, { open: true }, h('div', { tabIndex: -1 }, button)),
  'base-ui': () =>
    h(
      BaseDialog.Root,
      { open: true, modal: true },
      h(
        BaseDialog.Portal,
        null,
        h(BaseDialog.Backdrop),
        // Its own backdrop is over what is not positioned.
        h(BaseDialog.Popup, { style: { position: 'fixed', inset: '20%' } }, h(BaseDialog.Title, null, 'Page'), button),
      ),
    ),
  headless: () => h(HeadlessDialog, { open: true, onClose: () => {} }, h(DialogPanel, null, button)),
};

/** Shows the modal of a library. */
window.showModal = (name) => {
  const root = document.createElement('div');
  document.body.append(root);
  createRoot(root).render(MODALS[name]());
};
