/** What connects this page with the board. The site without a server has another file of this name. */

import { createConnection as overHttp } from './http.js';

export const createConnection = overHttp;
