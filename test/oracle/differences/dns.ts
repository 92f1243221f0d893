import { explain, NONE } from '../explain.ts'

export const dns = [
  ...explain(
    'dns',
    'dns/queries',
    'We escape a dot inside a label (RFC 1035 §5.1), so that it does not look like the end of the label.',
    ['name', 'odd\\.label.shop.test', 'odd.label.shop.test'],
    ['answer_names', '["odd\\\\.label.shop.test"]', '["odd.label.shop.test"]'],
  ),
  ...explain('dns', 'dns/queries', 'tshark writes the type 255 as in the RFC, we write it as in queries.', [
    'type',
    'ANY',
    '*',
  ]),
  ...explain(
    'dns',
    'dns/queries',
    'The rest of the code is in the OPT record (RFC 6891 §6.1.3); tshark shows it there.',
    ['rcode', 'BADVERS', 'NOERROR'],
  ),
  ...explain(
    'dns',
    'dns/queries',
    'The records of an UPDATE are in this section; tshark names it as RFC 2136 does.',
    ['authorities', '["A"]', NONE],
  ),
  ...explain('dns', 'dns/tcp-and-transfers', 'We escape a dot inside a label (RFC 1035 §5.1).', [
    'answer_names',
    '["shop.test","shop.test","shop.test","shop.test","shop.te…',
    '["shop.test","shop.test","shop.test","shop.test","shop.te…',
    2,
  ]),
  ...explain(
    'dns',
    'dns/tcp-and-transfers',
    'The SOA of an IXFR is in the request; we show the sections of both messages together.',
    ['authorities', '["SOA"]', NONE, 2],
  ),
]
