import { explain, NONE } from '../explain.ts'

export const kafka = [
  ...explain(
    'kafka',
    'kafka/oneway',
    'Nobody answers a Produce that asks for no acknowledgement, except this mock of a broker: we do not wait for it.',
    ['message', NONE, '0 4 60'],
    ['message', NONE, '0 5 58'],
    ['message', NONE, '0 6 58'],
    ['message', NONE, '0 7 60'],
  ),
]
