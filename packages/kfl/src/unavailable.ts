/**
 * Names that users know from elsewhere and that no call here has, each with why, and what to write instead. Asking for
 * one is an error that says so: matching nothing would look like an answer.
 */
export const UNAVAILABLE: Readonly<Record<string, { readonly why: string; readonly instead?: string }>> = {
  tcp_method: {
    why: 'a tcp call is a whole conversation in which no protocol was recognised, and has no method',
    instead: 'tcp_error_type',
  },
  udp_checksum: {
    why: 'a udp call is a whole conversation, and checksums belong to single packets; they are in the pcap',
    instead: 'udp_length',
  },
  sctp_checksum: {
    why: 'a sctp call is a whole association, and checksums belong to single packets; they are in the pcap',
    instead: 'sctp_length',
  },
  sctp_chunk_type: {
    why: 'a sctp call is a whole association of many chunks; single chunks are in the pcap',
    instead: 'sctp_length',
  },
}
