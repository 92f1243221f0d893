import { MAX_THREADS } from '@tapdeck/parallel/max-threads'
import { choice, flag, text, whole } from '../arguments/option.ts'

export const dissectOptions = {
  kfl: text('EXPR', 'Only calls that match.'),
  format: choice(
    ['ndjson', 'table', 'summary'],
    'ndjson: one call a line in full; table; summary: one JSON object of counts. Default: a table on a terminal, else ndjson.',
  ),
  inventory: text(
    'FILE',
    'Names addresses as pods and services (YAML or JSON). Default: the names that pcapng files of Tapdeck carry.',
  ),
  keys: text(
    'FILE',
    'TLS secrets in the format of SSLKEYLOGFILE: what these connections carry is dissected. Secrets in pcapng files are always used.',
  ),
  credentials: choice(
    ['mask', 'keep'],
    'mask: prints short hashes instead of the values of credentials, by a key of this run: equal ones are equal in one output. keep: prints them. Default: mask.',
  ),
  threads: whole(
    'N',
    'Number of threads; the output is the same for any number. Default: for large files one for each core; with fewer than four cores, from 256 MB on.',
    1,
    MAX_THREADS,
  ),
  utc: flag('Shows the times of a table in UTC. Default: local time.'),
  json: flag('The same as --format ndjson.'),
}
