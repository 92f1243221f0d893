import { command } from '../command.ts'
import { dissectOptions } from '../dissect/dissect-options.ts'

export const dissect = command({
  name: 'dissect',
  summary: 'Dissects capture files without a server and prints their calls in order of time.',
  takes: 'FILE…',
  words: [1, 100_000],
  options: dissectOptions,
  notes:
    'Files are pcap or pcapng, also with gzip or zstd; `-` is standard input. From a pipe, each call is printed when it is complete; `--threads` waits for the order of time. Loss is reported on standard error or in a summary; the exit status stays 0.',
  run: async (input) => (await import('../dissect/print-calls.ts')).printCalls(input),
})
