import { explain, NONE } from '../explain.ts'

export const amqp = [
  ...explain(
    'amqp',
    'amqp/errors',
    'We report a close that answers a method twice: as the failure of that method and as an event. Its close-ok is left out.',
    ['message', 'event amqp channel.close', NONE, 4],
    ['message', 'event amqp connection.close', NONE],
    ['message', 'response amqp 503', NONE],
    ['message', NONE, 'channel.close-ok channel.close-ok', 5],
  ),
  ...explain(
    'amqp',
    'amqp/one-zero',
    'One disposition settles several transfers: we report it as the answer to each of them.',
    ['message', 'response amqp ok', NONE],
  ),
  ...explain(
    'amqp',
    'amqp/one-zero',
    'We report an end that answers an attach twice: as the failure of that attach and as an event.',
    ['message', 'event amqp end', NONE],
  ),
  ...explain(
    'amqp',
    'amqp/one-zero',
    'Two transfers in one packet; ours are in the order in which they were settled.',
    ['length', '132', '131'],
    ['length', '131', '132'],
  ),
  ...explain(
    'amqp',
    'amqp_channel_error.pcap',
    'We report a close that answers a method twice: as the failure of that method and as an event. Its close-ok is left out.',
    ['message', 'event amqp channel.close', NONE],
    ['message', NONE, 'channel.close-ok channel.close-ok'],
  ),
]
