import { explain, NONE } from '../explain.ts'

export const dns = [
  ...explain(
    'dns',
    'dns/queries',
    'A dot inside a label is escaped (RFC 1035 §5.1), so that it is not taken for the end of it.',
    ['name', 'odd\\.label.shop.test', 'odd.label.shop.test'],
    ['answer_names', '["odd\\\\.label.shop.test"]', '["odd.label.shop.test"]'],
  ),
  ...explain('dns', 'dns/queries', 'tshark writes the type 255 as in the RFC, we as people ask for it.', [
    'type',
    'ANY',
    '*',
  ]),
  ...explain(
    'dns',
    'dns/queries',
    'The rest of the code stands in the OPT record (RFC 6891 §6.1.3); tshark shows it there.',
    ['rcode', 'BADVERS', 'NOERROR'],
  ),
  ...explain(
    'dns',
    'dns/queries',
    'The records of an UPDATE stand in this section; tshark gives it the name of RFC 2136.',
    ['authorities', '["A"]', NONE],
  ),
  ...explain('dns', 'dns/tcp-and-transfers', 'A dot inside a label is escaped (RFC 1035 §5.1).', [
    'answer_names',
    '["shop.test","shop.test","shop.test","shop.test","shop.te…',
    '["shop.test","shop.test","shop.test","shop.test","shop.te…',
    2,
  ]),
  ...explain(
    'dns',
    'dns/tcp-and-transfers',
    'The SOA of an IXFR stands in the request; we show the sections of both messages together.',
    ['authorities', '["SOA"]', NONE, 2],
  ),
]
