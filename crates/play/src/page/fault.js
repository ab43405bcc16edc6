/** What another engine did wrong at its turn, with the ways on: ask it again, let Tengen play, or make its move. */

import { byId, el } from './dom.js';

/**
 * The fault in a sentence.
 * @param {{engine: string, kind: string}} fault
 * @param {import('./types.js').Context['t']} t
 */
export const faultText = ({ engine, kind }, t) => t(`fault.${kind}`, { engine });

/**
 * What the engine itself said about it, folded away.
 * @param {{detail: string, lines: string[]}} fault
 * @param {import('./types.js').Context['t']} t
 */
export const faultDetails = ({ detail, lines }, t) => el('details', {}, el('summary', {}, t('fault.details')),
  el('pre', { class: 'told', tabindex: 0, 'aria-label': t('fault.details') }, [detail, ...lines].join('\n')));

/**
 * @param {import('./types.js').Context} context
 */
export function mountFault({ store, t, send }) {
  const box = byId('fault');
  let shown = '';
  store.watch('state', ({ fault }) => {
    const now = fault ? JSON.stringify(fault) : '';
    if (now === shown) return;
    shown = now;
    box.hidden = !fault;
    box.replaceChildren(...(fault ? content(fault) : []));
  });

  function content(fault) {
      return [
      el('p', {}, el('strong', { text: faultText(fault, t) }), ` ${t('fault.safe')}`),
      el('div', { class: 'choices' },
        el('button', { type: 'button', class: 'main', 'data-do': 'ask-again', text: t('fault.again', { engine: fault.engine }), on: { click: () => send('go') } }),
        el('button', { type: 'button', 'data-do': 'substitute', text: t('fault.substitute'), on: { click: () => send('substitute') } })),
      faultDetails(fault, t),
    ];
  }
}
