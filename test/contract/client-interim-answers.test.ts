// Interim answers (1xx) before the final one, which nobody asked for; and answers of which the status alone arrives.
import { describe, expect, it } from 'vitest';
import { RejectedError, ServiceUnavailableError } from '../../src/core/errors.ts';
import { failureOf, useAnsweringService } from './answering-service.ts';

const DATASET = { name: 'keyword_rankings' };
const CALL = { priority: 5, context: {} };
const ACCEPTED = JSON.stringify({ executionId: 'e1', executionState: 'IN_PROGRESS', requestId: null });
const final = (status: string, body: string): string => `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </x.css>\r\n\r\n';

const fake = useAnsweringService();

const submit = () => fake.client.submit(DATASET, { account_id: 1 }, CALL);

describe('before a good answer', () => {
  it.each([
    ['100 Continue', CONTINUE],
    ['102 Processing', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103 Early Hints', HINTS],
    ['several of them', CONTINUE + HINTS + CONTINUE],
  ])('%s is survived', async (_, interim) => {
    fake.respond = (response) => void response.socket?.write(interim + final('202 Accepted', ACCEPTED));
    expect(await submit()).toMatchObject({ state: 'accepted', executionId: 'e1' });
  });

  it('they are survived at each call of a connection that is kept', async () => {
    fake.respond = (response) => {
      response.writeContinue();
      response.writeHead(202).end(ACCEPTED);
    };
    for (let polls = 0; polls < 3; polls += 1) expect(await fake.client.poll(DATASET, 'e1', CALL)).toMatchObject({ state: 'in_progress' });
    expect(new Set(fake.service.received.map(({ remotePort }) => remotePort)).size).toBe(1);
  });

  it('a flood of them is cut early, long before a time-out', async () => {
    fake.respond = (response) => {
      const flood = (): void => void response.socket?.write(HINTS.repeat(10), (error) => error ?? setImmediate(flood));
      flood();
    };
    const error = await failureOf(submit());
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({
      isOutcomeUnknown: true,
      message: expect.stringContaining('interim answers (1xx) without end') as string,
    });
    await fake.service.allClosed();
  });
});

describe('a refusal whose status has come', () => {
  it.each([
    ['its body is cut off', (body: string) => `HTTP/1.1 400 Bad Request\r\ncontent-length: 500\r\n\r\n${body}`],
    [
      'it closes the connection',
      (body: string) => `HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    ],
    ['its body is damaged', () => 'HTTP/1.1 400 Bad Request\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nxxxx'],
    ['it has no body, and no length', () => 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ])('is known as a refusal, also when %s', async (_, answer) => {
    fake.respond = (response) => void response.socket?.end(answer('{"error":"INVALID_PARAMETERS","message":"no such locode"}'));
    const error = await failureOf(submit());
    expect(error).toBeInstanceOf(RejectedError);
    expect(error).toMatchObject({ context: { status: 400 } });
  });
});
