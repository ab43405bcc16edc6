/**
 * The second opinion in the Analysis tab: another engine's line, value and messages beside those of Tengen. Its values are
 * in its own units. What cannot be read is shown as the engine wrote it.
 */

import { el, patch, set } from './dom.js';
import { faultDetails, faultText } from './fault.js';
import { choice, eachFrame, other, short } from './parts.js';

/** Number of moves of the line. */
const MOVES = 14;

/**
 * @param {import('./types.js').Context} context
 * @returns {HTMLElement}
 */
export function createSecond({ store, send, t, board }) {
  const state = () => store.get('state');
  const engine = choice(t('second.engine'), [['', t('second.none')]], (name) => send('analysis', name ? { on: true, second: name } : { second: '' }));
  const readout = el('p', { class: 'readout' });
  const line = el('div', { class: 'tokens' });
  const text = el('pre', { class: 'told', tabindex: 0, 'aria-label': t('second.told') });
  const problem = el('div', { class: 'problem', role: 'status' });
  const told = el('div', { class: 'second-room' }, line, problem, text);
  const root = el('div', { class: 'second', role: 'group', 'aria-label': t('second.title'), hidden: true }, el('div', { class: 'panel-row toolbar' }, engine.node, readout), told);
  let faulty = '';

  const current = () => {
    const opinion = store.get('opinion');
    const { analysis, node } = state();
    return opinion && analysis.on && analysis.second === opinion.engine && opinion.node === node && !store.get('quiz') ? opinion : null;
  };

  function draw() {
    if (!state()) return;
    const { analysis, board: { to_move } } = state();
    engine.select.value = analysis.second ?? '';
    told.hidden = !analysis.second;
    const opinion = current();
    readout.textContent = opinion ? reading(opinion) : analysis.second && !analysis.on ? t('second.off') : '';
    const first = analysis.threat ? other(to_move) : to_move;
    patch(line, (opinion?.moves ?? []).slice(0, MOVES).map((at, ply) => ({ at, ply, side: ply % 2 ? other(first) : first })), {
      key: ({ ply }) => String(ply),
      make: ({ ply }) => token(ply),
      update: (node, { at, side }) => set(Object.assign(node, { textContent: at }), { class: `token ${side}` }),
    });
    text.textContent = (opinion?.text ?? []).join('\n');
    text.hidden = !text.textContent;
    tellFault(opinion?.fault);
  }

  function tellFault(fault) {
    const now = fault ? JSON.stringify(fault) : '';
    if (now === faulty) return;
    faulty = now;
    problem.replaceChildren(...(fault ? [
      el('p', {}, el('strong', { text: faultText(fault, t) })),
      el('button', { type: 'button', 'data-do': 'ask-second', text: t('fault.again', { engine: fault.engine }), on: { click: () => send('analysis', { on: true, second: fault.engine }) } }),
      faultDetails(fault, t)] : []));
  }

  /** A move of the line; the pointer or the focus on it previews the line up to it. */
  function token(ply) {
    const show = () => board.preview((current()?.moves ?? []).slice(0, ply + 1), state().analysis.threat ? other(state().board.to_move) : state().board.to_move);
    const hide = () => board.preview(null);
    return el('button', { type: 'button', on: { mouseenter: show, focus: show, click: show, mouseleave: hide, blur: hide } });
  }

  function reading({ depth, eval: value, win, nodes, done, fault }) {
    const parts = [];
    if (win !== null) parts.push(win > 0 ? t('second.wins', { plies: win }) : t('second.loses', { plies: -win }));
    else if (value !== null) parts.push(t('second.eval', { value: value > 0 ? `+${value}` : value }));
    if (depth !== null) parts.push(`d ${depth}`);
    if (nodes !== null) parts.push(`${short(nodes)} ${t('analysis.nodes')}`);
    if (done && !fault) parts.push(t('analysis.done'));
    return parts.join(' · ');
  }

  store.watch('about', ({ engines }) => {
    root.hidden = !engines?.length;
    engine.select.replaceChildren(el('option', { value: '' }, t('second.none')), ...(engines ?? []).map((name) => el('option', { value: name }, name)));
    draw();
  });
  store.watch('state', draw);
  store.watch('opinion', eachFrame(draw));
  store.watch('quiz', draw);
  return root;
}
