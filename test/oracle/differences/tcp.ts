import { explain, NONE } from '../explain.ts'

const TWICE =
  'Every packet is in the file twice: we count each once. The round trip is that of the first of both.'

export const tcp = [
  ...explain(
    'tcp',
    'http/closed',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '12'],
  ),
  ...explain(
    'tcp',
    'dns_mx.pcap',
    'The last packet of a connection whose beginning was not captured: tshark shows 0, we show what was captured.',
    ['completeness', '20', '0'],
  ),
  ...explain(
    'tcp',
    'http_100_continue.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '*', 24],
  ),
  ...explain(
    'tcp',
    'http_get_2k_file.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '21'],
  ),
  ...explain('tcp', 'http_get_2k_file.pcap', 'The ACKs of a repeated FIN, after both sides had closed.', [
    'duplicate_acks',
    '0',
    '2',
  ]),
  ...explain(
    'tcp',
    'http_unmatched_timeout.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', NONE, '42'],
  ),
  ...explain(
    'tcp',
    'memcache/memcache_text_tcp_single_load_store.pcap',
    'A refused connection: tshark counts the RST as the end of a handshake. Or rounding of a fraction of a microsecond.',
    ['initial_rtt', '0', '1'],
  ),
  ...explain(
    'tcp',
    'cassandra/v4/cassandra_mixed_frame.pcap',
    'The identifications of this sender are random, and one of them is taken for one that was used: the packet for a copy.',
    ['duplicate_acks', '0', '1'],
  ),
  ...explain(
    'tcp',
    'thrift_echo_binary.pcap',
    TWICE,
    ['retransmissions', '0', '22'],
    ['duplicate_acks', '0', '4'],
    ['fins', '2', '8'],
    ['initial_rtt', '29', '22'],
  ),
  ...explain(
    'tcp',
    'wsgi_drum.pcap',
    TWICE,
    ['message', 'event tcp', NONE],
    ['retransmissions', '*', '*', 16],
    ['duplicate_acks', '0', '*', 16],
    ['fins', '2', '*', 16],
    ['initial_rtt', '*', '*', 16],
  ),
  ...explain(
    'tcp',
    'wsgi_loopback.pcap',
    TWICE,
    ['retransmissions', '0', '25'],
    ['duplicate_acks', '0', '7'],
    ['fins', '2', '4'],
    ['initial_rtt', '42', '31'],
  ),
]
