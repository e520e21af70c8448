import { describe, expect, it } from 'vitest';
import { messageOf, stepMessageSchema, submitsMessageSchema } from '../../../src/queue/messages.ts';

const step = { kind: 'step', execution: 42, connection: 'main', job: 'a', steps: 3, priority: 1, delayMs: 1500 } as const;
const submits = { kind: 'submits', connection: 'main', delayMs: 0 } as const;
const NOW = 1_000_000;

describe('the message of a step', () => {
  it('carries only which execution is due for a step, and whose slot that takes', () => {
    const message = messageOf(step, NOW);
    const body = { execution: 42, connection: 'main', job: 'a', priority: 1 };
    expect(message).toEqual({ name: 'step', body, id: 'step-42-3', priority: 2, delayMs: 1500 });
    expect(stepMessageSchema.parse(message.body)).toEqual(body);
  });

  it('is the same for the same step and another for the next, and for the reconciler\u2019s', () => {
    expect(messageOf({ ...step, delayMs: 0 }, NOW + 9999).id).toBe(messageOf(step, NOW).id);
    expect(messageOf({ ...step, steps: 4 }, NOW).id).not.toBe(messageOf(step, NOW).id);
    expect(messageOf(step, NOW, '-7').id).not.toBe(messageOf(step, NOW).id);
  });

  it('has a priority that BullMQ orders by, the most urgent first', () => {
    // 0 would be "no priority", which BullMQ puts before all others.
    const priorities = [0, 1, 2, 3, 4].map((priority) => messageOf({ ...step, priority }, NOW).priority);
    expect(priorities).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('the message for submits', () => {
  it('is always a new message when it is rung for now', () => {
    expect(messageOf(submits, NOW)).toEqual({ name: 'submits', body: { connection: 'main' }, id: undefined, priority: 1, delayMs: 0 });
  });

  it('is one message for all submits due within the same tenth of a second, and due at its end', () => {
    const message = (nowMs: number, delayMs: number) => messageOf({ ...submits, delayMs }, nowMs);
    expect(message(NOW, 1001).id).toBe(message(NOW + 20, 1030).id);
    expect(message(NOW, 1001).delayMs).toBe(1100);
    expect(message(NOW + 20, 1030).delayMs).toBe(1080);
    expect(message(NOW, 1001).id).not.toBe(message(NOW, 1101).id);
  });

  it.each([1, 50, 100, 130])(
    'is new, and not merged into one being answered, when it is rung for %d ms after that one was due',
    (delayMs) => {
      const answered = messageOf({ ...submits, delayMs: 730 }, NOW);
      const dueMs = NOW + answered.delayMs;
      expect(messageOf({ ...submits, delayMs }, dueMs).id).not.toBe(answered.id);
    },
  );

  it('has an id without the characters that BullMQ reserves, whatever the connection is called', () => {
    const message = messageOf({ ...submits, connection: 'a:b c', delayMs: 1000 }, NOW);
    expect(message.id).not.toContain(':');
    expect(submitsMessageSchema.parse(message.body)).toEqual({ connection: 'a:b c' });
  });
});

describe('a message from another program', () => {
  it.each([[{}], [{ execution: '42' }], [{ execution: 0 }], [{ execution: -1 }], [{ execution: 1.5 }], [null], [{ connection: 'main' }]])(
    'is not taken for a step: %j',
    (body) => {
      expect(stepMessageSchema.safeParse(body).success).toBe(false);
    },
  );
});
