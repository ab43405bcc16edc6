/** Two soft clicks, synthesized when needed: a lower one for Black's stones, a higher one for White's. */

/**
 * @param {import('./types.js').Context} context
 */
export function playSounds({ store, view }) {
  let audio = null;
  let before = null;

  const click = (frequency) => {
    audio ??= new AudioContext();
    const [start, tone, volume] = [audio.currentTime, audio.createOscillator(), audio.createGain()];
    tone.type = 'triangle';
    tone.frequency.setValueAtTime(frequency, start);
    tone.frequency.exponentialRampToValueAtTime(frequency / 2, start + 0.06);
    volume.gain.setValueAtTime(0.18, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.09);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.1);
  };

  store.watch('state', (state) => {
    const grown = before && before.game.id === state.game.id && state.board.stones.length === before.board.stones.length + 1;
    before = state;
    if (!grown || !view.get('sound')) return;
    click(state.board.stones[state.board.stones.length - 1].side === 'black' ? 520 : 760);
  });
}
