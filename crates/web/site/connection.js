/** What connects the page of the site with the board: messages of a worker. It takes the place of the page's own file. */

import { createConnection as byMessages } from './messages.js';

export const createConnection = byMessages;
