/** What wasm-bindgen makes of the crate, as far as the site uses it; the Rust sources describe it. */

export default function init(source: { module_or_path: WebAssembly.Module }): Promise<unknown>;

export class Board {
  constructor(seed: bigint, hash_mb: number, largest_hash_mb: number);
  offer(key: string | undefined, saved: number, game: string): boolean;
  hello(): string;
  state(): string;
  command(body: string): string;
  import(name: string, bytes: Uint8Array): string;
  export(format: string): { name: string, kind: string, bytes: Uint8Array, refusal: string | undefined };
  message(text: string): void;
  review(job: number, text: string): void;
  cut(job: number, latest: string | undefined): void;
  failed(job: number): void;
  tick(save: boolean): void;
  due(): number | undefined;
  saved(errors: string[]): void;
  orders(): string;
}

export class Worker {
  constructor(seed: bigint);
  warm(hash_mb: number): void;
  run(job: string, hash_mb: number): void;
}

export class Trainer {
  constructor(progress: string | undefined);
  answer(body: string): string;
  progress(): string | undefined;
}
