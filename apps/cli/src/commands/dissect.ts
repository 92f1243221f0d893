import { command } from '../command.ts'
import { dissectOptions } from '../dissect/dissect-options.ts'

export const dissect = command({
  name: 'dissect',
  summary: 'Dissects capture files without a server and prints their calls in order of time.',
  takes: 'FILE…',
  words: [1, 100_000],
  options: dissectOptions,
  notes:
    'Files are pcap or pcapng, also compressed with gzip or zstd; `-` is standard input. From a pipe alone, each call is printed when it is complete, not in order of time, and without what is known only at the end: the sums of its flow, handshake percentiles and names from DNS; `--threads`, a summary, and a filter of these fields wait for the end. Files that follow one another in time are read as one capture. Loss and damage are reported on standard error, or in `loss` of a summary; the exit status stays 0.',
  run: async (input) => (await import('../dissect/print-calls.ts')).printCalls(input),
})
