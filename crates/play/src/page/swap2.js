/** The swap2 wizard beside the board: the current step, what the player has to do, and what was chosen. */

import { byId, el, patch, set } from './dom.js';
import { playerName } from './status.js';

const STEPS = ['place_three', 'choose', 'place_two', 'choose_final', 'move'];

/**
 * @param {import('./types.js').Context & {acts: (name: string) => void}} context
 */
export function mountSwap2({ store, t, send, acts, announce }) {
  const steps = el('ol', { class: 'steps' });
  const words = el('p');
  const chosen = el('p', { class: 'chosen' });
  const choices = el('div', { class: 'choices' });
  const back = el('button', { type: 'button', class: 'plain', text: t('swap2.back'), on: { click: () => acts('undo') } });
  const box = byId('wizard');
  box.append(el('h3', { text: t('swap2.title') }), steps, chosen, words, choices, back);
  let told = '';

  store.watch('state', (state) => {
    const { turn, game } = state;
    const stones = state.board.stones.length;
    const opening = game.opening === 'swap2' && STEPS.indexOf(turn.phase) >= 0 && turn.phase !== 'move';
    const justOver = game.opening === 'swap2' && turn.phase === 'move' && turn.chosen && stones <= 5;
    box.hidden = !opening && !justOver;
    if (box.hidden) return;
    const shown = STEPS.filter((phase) => stones > 3 || turn.phase === 'place_two' || (phase !== 'place_two' && phase !== 'choose_final'));
    const items = shown.map((phase) => ({ phase, now: phase === turn.phase, done: STEPS.indexOf(phase) < STEPS.indexOf(turn.phase) }));
    patch(steps, items, {
      key: ({ phase }) => phase,
      make: ({ phase }) => el('li', { text: t(`swap2.step_${phase}`) }),
      update: (node, { now, done }) => set(node, { 'aria-current': now ? 'step' : null, class: done ? 'done' : '' }),
    });
    const name = playerName(state, turn.side, t);
    words.textContent = turn.phase === 'move' ? '' : t(`swap2.${turn.phase}${turn.engine ? '_engine' : ''}`, { name });
    chosen.textContent = turn.chosen ? t(`swap2.engine_${turn.chosen}`, { white: playerName(state, 'white', t), black: playerName(state, 'black', t) }) : '';
    if (chosen.textContent && chosen.textContent !== told) announce(chosen.textContent);
    told = chosen.textContent;
    const possible = turn.engine ? [] : { choose: ['stay', 'swap', 'two'], choose_final: ['stay', 'swap'] }[turn.phase] ?? [];
    patch(choices, possible.map((choice) => ({ choice, side: colourAfter(choice, turn.side) })), {
      key: ({ choice, side }) => `${choice} ${side}`,
      make: ({ choice, side }) => el('button', { type: 'button', class: 'main', 'data-choice': choice,
        text: t(`swap2.${choice}`, { side: t(`side.${side}`) }), on: { click: () => send('opening', { choice }) } }),
    });
    back.hidden = !state.can.undo;
  });
}

/** The colour of a seat after its answer. */
function colourAfter(choice, side) {
  if (choice === 'stay') return side;
  return side === 'black' ? 'white' : 'black';
}
