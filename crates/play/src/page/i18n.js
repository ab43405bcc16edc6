/**
 * Texts of the page in the person's language. The tables in i18n/ map keys to texts; both tables have the same keys.
 */

import en from './i18n/en.js';
import enExplorer from './i18n/en_explorer.js';
import enLearn from './i18n/en_learn.js';
import enPanels from './i18n/en_panels.js';
import enWatch from './i18n/en_watch.js';
import zh from './i18n/zh.js';
import zhExplorer from './i18n/zh_explorer.js';
import zhLearn from './i18n/zh_learn.js';
import zhPanels from './i18n/zh_panels.js';
import zhWatch from './i18n/zh_watch.js';

const TABLES = {
  en: { ...en, ...enPanels, ...enExplorer, ...enLearn, ...enWatch },
  zh: { ...zh, ...zhPanels, ...zhExplorer, ...zhLearn, ...zhWatch },
};

/**
 * The language to use.
 * @param {string} wanted `auto`, or the name of a table
 * @returns {'en'|'zh'}
 */
export function chooseLanguage(wanted) {
  const name = wanted === 'auto' ? navigator.language.slice(0, 2) : wanted;
  return name === 'zh' ? 'zh' : 'en';
}

/**
 * A translator. In a text, `{name}` is replaced by the value of that name, and `{name|one|many}` by the value and the
 * singular or plural word.
 * @param {'en'|'zh'} language
 * @returns {(key: string, values?: Object<string, any>) => string}
 */
export function translator(language) {
  const table = TABLES[language];
  const fill = (values) => (whole, name, one, many) => {
    if (!(name in values)) return whole;
    return one === undefined ? String(values[name]) : `${values[name]} ${Number(values[name]) === 1 ? one : many}`;
  };
  return (key, values = {}) => (table[key] ?? key).replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, fill(values));
}

/**
 * Fills the texts of index.html: `data-text` and `data-label` name keys.
 * @param {ParentNode} root
 * @param {(key: string) => string} t
 */
export function translatePage(root, t) {
  for (const node of root.querySelectorAll('[data-label]')) node.setAttribute('aria-label', t(node.getAttribute('data-label') ?? ''));
  for (const node of root.querySelectorAll('[data-text]')) node.textContent = t(node.getAttribute('data-text') ?? '');
}
