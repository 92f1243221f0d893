import { flag, text, texts } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command } from '../command.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { runPart } from '../parts/run-part.ts'

const { values, set, 'set-string': setString } = configOptions

export const dissectJob = command({
  name: 'dissect-job',
  summary: 'Dissects a snapshot of an object storage on this machine; the result is stored there.',
  takes: 'SNAPSHOT NAME',
  words: [2, 2],
  options: {
    kfl: text('EXPR', 'Only calls that match.'),
    protocol: texts('NAME', 'Only this protocol.'),
    work: text(
      'FOLDER',
      'For files of the job; deleted at the end. Default: the folder for temporary files.',
    ),
    requested: flag('Does only what a hub asks for in the bucket, with the filter of the request.'),
    ...{ values, set, 'set-string': setString },
  },
  notes:
    'The bucket is that of tap.snapshots.s3. Credentials are found as the AWS tools find them. A hub of the same bucket lists the result within a minute, if tap.redaction and tap.capture.dissection.bodyBytes are the same there.',
  async run({ options, words, env }) {
    const [snapshot, name] = words as [string, string]
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
      throw new UsageError(
        `"${name}" is no name of a dissection: lower-case letters, digits, dots, dashes and underscores, up to 64`,
      )
    const none = { host: undefined, port: undefined, data: undefined, interface: [] }
    const request = {
      ...{ snapshot, name, kfl: options.kfl ?? '', requested: options.requested, folder: options.work ?? '' },
      ...(options.protocol.length > 0 && { protocols: options.protocol }),
    }
    return runPart('dissect-job', await loadConfig({ ...options, ...none }, env), {
      TAPDECK_DISSECT_JOB: JSON.stringify(request),
    })
  },
})
