// What the loads of one process share. It belongs to the pipeline, not to modules, so that two pipelines share nothing.
import { BufferPool } from '../codec/buffer-pool.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { PriorityTurns } from './priority-turns.ts';

export type Shared = Readonly<{
  /** Memory for decoded pages. */
  buffers: BufferPool;
  /** Decides which load decodes next, since decoding blocks the thread. */
  decodingTurns: PriorityTurns;
  /** Lets one load whose process died work at a time; see suspects.ts. */
  suspects: OneAtATime;
}>;

export function createShared(): Shared {
  return { buffers: new BufferPool(), decodingTurns: new PriorityTurns(), suspects: new OneAtATime() };
}
