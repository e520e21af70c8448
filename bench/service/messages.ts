// What a page server is told when it starts, and what it and the benchmark say to each other.
import type { Topic } from './rows.ts';

export type ServiceWish = Readonly<{
  rows: 'rankings' | 'answers';
  /** Length of an answer's text; only for answers. */
  answerCharacters?: number;
  rowsPerQuery: number;
  /** Rows of every page but the last; the job must ask for as many. */
  pageSize: number;
  /** Whose pages are made before the first call; those of others when they are asked for. */
  madeBefore?: readonly Topic[];
  /** What a page takes before it is sent, in milliseconds; none when it is sent at once. */
  pageMs?: number | undefined;
}>;

export type Question = Readonly<{ ask: 'record' } | { ask: 'restate'; version: number }>;

/** Times of calls, in milliseconds since 1970. */
export type CallRecord = {
  /** By credential. */
  submits: Record<string, number[]>;
  reads: Record<string, number[]>;
  /** When each query was first read, by executionId. */
  firstReads: Record<string, number>;
};

export type Answer = Readonly<{ kind: 'ready'; port: number } | { kind: 'record'; record: CallRecord } | { kind: 'restated' }>;
