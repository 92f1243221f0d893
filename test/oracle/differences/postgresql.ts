import { explain, NONE } from '../explain.ts'

export const postgresql = [
  ...explain(
    'postgresql',
    'postgresql/extended',
    'The statement was not prepared, because Parse failed: its name is unknown when it is executed.',
    ['statement', NONE, 'select missing from counts;'],
  ),
  ...explain(
    'postgresql',
    'postgresql/replication',
    'Replication never ends; we close its answer with the connection.',
    ['message', 'response postgresql ok', NONE],
  ),
  ...explain('postgresql', 'pgsql_rt.pcap', 'The connection ended before the answer: we report that.', [
    'message',
    'response postgresql abandoned',
    NONE,
  ]),
]
