import { explain, NONE } from '../explain.ts'

export const kafka = [
  ...explain(
    'kafka',
    'kafka/oneway',
    'A Produce without acknowledgement has no response, except from this mock of a broker: we do not wait for it.',
    ['message', NONE, '0 4 60'],
    ['message', NONE, '0 5 58'],
    ['message', NONE, '0 6 58'],
    ['message', NONE, '0 7 60'],
  ),
]
