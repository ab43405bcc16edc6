/** Import and export of games: save, load, drop, paste, copy. The server reads and writes the formats. */

import { openDialog } from './dialog.js';
import { el } from './dom.js';
import { Refused } from './api.js';

/** Largest file that is sent, in bytes; the server has its own limits. */
const LARGEST = 64 * 1024 * 1024;

/**
 * @param {import('./types.js').Context & {sure: () => Promise<boolean>}} context `sure` asks whether unsaved moves may
 *   be discarded
 */
export function createFiles(context) {
  const { store, api, t, toast, sure } = context;

  const load = async (name, bytes) => {
    if (bytes.size > LARGEST) return toast(t('files.too_large'), 'error');
    if (!(await sure())) return;
    try {
      const { games, loaded } = await api.importFile(name, bytes);
      if (!loaded) chooseGame(context, games);
      else for (const warning of games[0]?.warnings ?? []) toast(warning, 'warning');
      if (loaded) toast(t('files.loaded', { title: games[0]?.title || name }));
    } catch (error) {
      toast(error instanceof Refused ? error.message : t('files.failed'), 'error');
    }
  };

  const save = async (format, picture = false) => {
    try {
      const { name, blob } = await api.exportFile(format);
      download(picture ? name.replace(/\.svg$/, '.png') : name, picture ? await rasterise(blob) : blob);
      store.set('saved', savedMark(store.get('state')));
    } catch (error) {
      toast(error instanceof Refused ? error.message : t('files.failed'), 'error');
    }
  };

  const pick = () => {
    const input = el('input', { type: 'file', accept: '.sgf,.psq,.pos,.sav,.lib,.rec,.rif,.txt,.json' });
    input.addEventListener('change', () => input.files[0] && load(input.files[0].name, input.files[0]));
    input.click();
  };

  const copy = async () => {
    const { text } = store.get('state').board;
    try {
      await navigator.clipboard.writeText(text);
      toast(t('files.copied', { text }));
    } catch {
      toast(text);
    }
  };

  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    const text = event.dataTransfer?.getData('text/plain');
    if (file) load(file.name, file);
    else if (text) load('dropped.txt', new Blob([text]));
  });
  document.addEventListener('paste', (event) => {
    if (/** @type {Element} */ (event.target).closest?.('input, textarea, dialog')) return;
    const file = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData('text/plain');
    if (file) load(file.name, file);
    else if (text?.trim()) load('pasted.txt', new Blob([text]));
  });

  return { load, pick, copy, save, openSave: () => openSave(context, save) };
}

/** A text that identifies a saved state. */
export const savedMark = (state) => `${state.game.id} ${state.line.map(({ node }) => node).join(' ')}`;

function openSave({ store, t }, save) {
  const button = (name, words, picture) => el('button', { type: 'button', 'data-format': picture ? 'png' : name, on: {
    async click() {
      await save(name, picture);
      box.close();
    },
  } }, el('strong', { text: picture ? 'PNG' : name.toUpperCase() }), el('small', { text: words }));
  const formats = store.get('about').formats.filter((name) => !name.startsWith('review') && name !== 'gif_rest');
  const buttons = formats.map((name) => button(name, t(`format.${name}`), false));
  if (formats.includes('svg')) buttons.push(button('svg', t('format.png'), true));
  const box = openDialog({ title: t('files.save'), name: 'save', close: t('close'), body: [el('div', { class: 'formats' }, ...buttons)] });
}

/** Lets the person choose among the games of a file. */
function chooseGame({ send, t, toast }, games) {
  const warn = (game) => game?.warnings.forEach((warning) => toast(warning, 'warning'));
  // Warnings about the file as a whole are stored with its first game.
  warn(games[0]);
  const row = (game) => el('button', { type: 'button', on: {
    async click() {
      box.close();
      await send('load', { index: game.index });
      if (game !== games[0]) warn(game);
    },
  } }, el('strong', { text: game.title || t('files.untitled') }),
  el('small', { text: t('files.game', { rule: game.rule ? t(`rule.${game.rule}`) : '?', size: game.size.join('×'), moves: game.moves }) }));
  const box = openDialog({ title: t('files.choose', { number: games.length }), name: 'choose', close: t('close'),
    body: [el('div', { class: 'formats' }, ...games.slice(0, 500).map(row))] });
}

/**
 * Hands a file to the browser.
 * @param {string} name
 * @param {Blob} blob
 */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  el('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Converts a vector picture into a bitmap, 1200 wide. */
export async function rasterise(blob) {
  const text = await blob.text();
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = el('canvas');
  canvas.width = 1200;
  canvas.height = Math.round((1200 * image.naturalHeight) / (image.naturalWidth || 1)) || 1200;
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((picture) => (picture ? resolve(picture) : reject(new Error('no picture')))));
}
