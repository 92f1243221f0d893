import { explain, NONE } from '../explain.ts'

export const radius = [
  ...explain(
    'radius',
    'radius/silence',
    'The same request three times, with the same number and authenticator: we report one request with retransmissions.',
    ['message', NONE, '1 Access-Request 215', 2],
  ),
]
