import { explain, NONE } from '../explain.ts'

export const mongodb = [
  ...explain(
    'mongodb',
    'mongodb_reply_request_reply.pcap',
    'The capture begins with a reply: we do not number a request that was not captured.',
    ['response_to', NONE, '32929'],
  ),
]
