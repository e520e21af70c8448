import { expect, test } from 'vitest';
import { refusal } from '../../../../sandbox/protocol/answers.ts';
import { answerBy, type Exchange } from '../../../../sandbox/protocol/exchange.ts';
import { datasetNamed } from '../../../../src/datasets/index.ts';

function anExchange(): Exchange {
  return {
    dataset: datasetNamed('keyword_rankings'),
    requestId: 'request',
    receivedAt: new Date(0),
    headers: {},
    parameters: new URLSearchParams(),
    rawBody: '',
    onFinished: () => undefined,
    credential: undefined,
    body: undefined,
    call: undefined,
    executionId: undefined,
    faults: [],
  };
}

test('steps come in order, each seeing what the ones before left, until one answers', async () => {
  const seen: unknown[] = [];
  const answer = await answerBy(
    [
      (exchange) => {
        exchange.call = 'poll';
        return undefined;
      },
      async (exchange) => {
        seen.push(exchange.call);
        return undefined;
      },
      () => refusal(400, 'enough'),
      () => {
        seen.push('too far');
        return undefined;
      },
    ],
    anExchange(),
  );
  expect(answer.body).toBe('{"error":"INVALID_PARAMETERS","message":"enough"}');
  expect(seen).toEqual(['poll']);
});

test('a request that no step answers is an error', async () => {
  await expect(answerBy([() => undefined], anExchange())).rejects.toThrow('no step');
});
