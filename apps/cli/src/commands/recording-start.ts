import { flag, text } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showRecording } from '../hub/show-recording.ts'

export const recordingStart = command({
  name: 'recording start',
  summary: 'Keeps matching traffic beyond the ring, from now on or from a time.',
  takes: 'NAME',
  words: [1, 1],
  options: {
    kfl: text('EXPR', 'Only calls that match.'),
    duration: text('TIME', 'Longest time it runs, such as 10m; 1h unless said.'),
    'max-size': text('SIZE', 'Most it keeps, such as 500Mi; 1Gi unless said.'),
    start: text('TIME', 'When it begins: RFC 3339 or Unix milliseconds; now unless said.'),
    'resume-indexing': flag('Turns traffic indexing on when it begins.'),
    ...hubOptions,
  },
  notes: 'What it kept can be asked as the database rec-NAME/calls once it has ended.',
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
