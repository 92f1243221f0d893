import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showRecording } from '../hub/show-recording.ts'

export const recordingStop = command({
  name: 'recording stop',
  summary: 'Ends a recording; what it kept becomes a database.',
  operations: ['stop_recording'],
  takes: 'NAME',
  words: [1, 1],
  options: hubOptions,
  async run(input) {
    const { options, words, terminal } = input
    const recording = await openHub(input).call('stop_recording', { name: words[0]! })
    await showRecording(recording, wantsTable(options, terminal), terminal)
    return exitStatus.done
  },
})
