/** What wasm-bindgen makes of the crate, as far as the site uses it; the Rust sources describe it. */

export default function init(source: { module_or_path: WebAssembly.Module, memory?: WebAssembly.Memory, thread_stack_size?: number }): Promise<{ memory: WebAssembly.Memory }>;

export function provideNetwork(file: Uint8Array): void;
export function joinThreads(): void;
export function runThreads(): void;

export class Board {
  constructor(seed: bigint, threads: number, hash_mb: number, largest_hash_mb: number);
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
  stop_address(): number;
  warm(hash_mb: number): void;
  run(job: string, hash_mb: number, threads: number): void;
}

export class Trainer {
  constructor(progress: string | undefined);
  answer(body: string): string;
  progress(): string | undefined;
}
