import { explain, NONE } from '../explain.ts'

export const amqp = [
  ...explain(
    'amqp',
    'amqp/errors',
    'A close that answers a method is both to us: the failure of that method and an event of its own. Its close-ok says nothing new and is left out.',
    ['message', 'event amqp channel.close', NONE, 4],
    ['message', 'event amqp connection.close', NONE],
    ['message', 'response amqp 503', NONE],
    ['message', NONE, 'channel.close-ok channel.close-ok', 5],
  ),
  ...explain(
    'amqp',
    'amqp/one-zero',
    'One disposition settles several transfers: to us it answers each of them.',
    ['message', 'response amqp ok', NONE],
  ),
  ...explain(
    'amqp',
    'amqp/one-zero',
    'An end that answers an attach is both to us: the failure of that attach and an event of its own.',
    ['message', 'event amqp end', NONE],
  ),
  ...explain(
    'amqp',
    'amqp/one-zero',
    'Two transfers in one packet; ours stand in the order in which they were settled.',
    ['length', '132', '131'],
    ['length', '131', '132'],
  ),
  ...explain(
    'amqp',
    'amqp_channel_error.pcap',
    'A close that answers a method is both to us: the failure of that method and an event of its own. Its close-ok says nothing new and is left out.',
    ['message', 'event amqp channel.close', NONE],
    ['message', NONE, 'channel.close-ok channel.close-ok'],
  ),
]
