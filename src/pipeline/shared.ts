// What the loads of one process share. It belongs to the pipeline and not to modules, so that two pipelines share nothing.
import { BufferPool } from '../codec/buffer-pool.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { PriorityTurns } from './priority-turns.ts';

export type Shared = Readonly<{
  /** Memory for pages. */
  buffers: BufferPool;
  /** Decides which load decodes next, since decoding keeps the thread busy. */
  decodingTurns: PriorityTurns;
  /** Loads whose process died, see suspects.ts. */
  suspects: OneAtATime;
}>;

export function createShared(): Shared {
  return { buffers: new BufferPool(), decodingTurns: new PriorityTurns(), suspects: new OneAtATime() };
}
