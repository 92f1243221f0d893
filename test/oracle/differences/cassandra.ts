import { explain, NONE } from '../explain.ts'

export const cassandra = [
  ...explain(
    'cassandra',
    'cassandra/plain',
    'The beginning of a version 5 connection; tshark 4.0 knows versions up to 4 only.',
    ['message', 'request cassandra STARTUP', NONE],
  ),
  ...explain(
    'cassandra',
    'cassandra/segments',
    'Version 5 uses segments with checksums, which tshark 4.0 does not know.',
    ['message', '*', NONE, 74],
  ),
]
