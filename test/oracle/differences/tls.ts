import { explain, NONE } from '../explain.ts'

export const tls = [
  ...explain(
    'tls',
    'tls/failures',
    'The server closed in the middle of its hello: tshark waits for the rest of the record and never shows it.',
    ['message', 'response tls', NONE],
  ),
]
