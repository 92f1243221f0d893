import { flag, text } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showRecording } from '../hub/show-recording.ts'

export const recordingStart = command({
  name: 'recording start',
  summary: 'Keeps matching traffic, from now or from a time on.',
  operations: ['start_recording'],
  takes: 'NAME',
  words: [1, 1],
  options: {
    kfl: text('EXPR', 'Only calls that match.'),
    duration: text('TIME', 'Maximum time that it runs, such as 10m. Default: 1h.'),
    'max-size': text('SIZE', 'Maximum size, such as 500Mi. Default: 1Gi.'),
    start: text('TIME', 'When it begins: RFC 3339 or Unix milliseconds. Default: now.'),
    'resume-indexing': flag('Turns traffic indexing on when it begins.'),
    ...hubOptions,
  },
  notes: 'When it has ended, query it as the database rec-NAME/calls.',
  async run(input) {
    const { options, words, terminal } = input
    const recording = await openHub(input).call('start_recording', {
      name: words[0]!,
      kfl: options.kfl,
      duration: options.duration,
      max_size: options['max-size'],
      start: options.start,
      resume_indexing: options['resume-indexing'] || undefined,
    })
    await showRecording(recording, wantsTable(options, terminal), terminal)
    return exitStatus.done
  },
})
