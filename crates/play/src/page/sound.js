/** The sound of a stone on wood, synthesized when needed: lower for Black's stones, higher for White's. */

/** Length of the sound in seconds. */
const LENGTH = 0.09;

/**
 * @param {import('./types.js').Context} context
 */
export function playSounds({ store, view }) {
  /** @type {AudioContext|null} */
  let audio = null;
  /** @type {AudioBuffer|null} */
  let knock = null;
  let before = null;

  /** Noise that fades: what a hard thing makes on a hard one. */
  const noise = (context) => {
    const buffer = context.createBuffer(1, Math.round(LENGTH * context.sampleRate), context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let at = 0; at < samples.length; at += 1) samples[at] = (2 * Math.random() - 1) * Math.exp((-9 * at) / samples.length);
    return buffer;
  };

  /** The wood sounds at this frequency. */
  const click = (frequency) => {
    audio ??= new AudioContext();
    knock ??= noise(audio);
    const [source, wood, volume] = [audio.createBufferSource(), audio.createBiquadFilter(), audio.createGain()];
    source.buffer = knock;
    wood.type = 'bandpass';
    wood.frequency.value = frequency;
    wood.Q.value = 4;
    volume.gain.value = 0.9;
    source.connect(wood).connect(volume).connect(audio.destination);
    source.start();
  };

  store.watch('state', (state) => {
    const grown = before && before.game.id === state.game.id && state.board.stones.length === before.board.stones.length + 1;
    before = state;
    if (!grown || !view.get('sound')) return;
    click(state.board.stones[state.board.stones.length - 1].side === 'black' ? 1050 : 1500);
  });
}
