import { explain, NONE } from '../explain.ts'

export const postgresql = [
  ...explain(
    'postgresql',
    'postgresql/extended',
    'The statement had failed to be prepared: its name stands for nothing when it is executed.',
    ['statement', NONE, 'select missing from counts;'],
  ),
  ...explain(
    'postgresql',
    'postgresql/replication',
    'Replication never ends; we close its answer with the connection.',
    ['message', 'response postgresql ok', NONE],
  ),
  ...explain('postgresql', 'pgsql_rt.pcap', 'The connection ended before the answer: we say so.', [
    'message',
    'response postgresql abandoned',
    NONE,
  ]),
]
