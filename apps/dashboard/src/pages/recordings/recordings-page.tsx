import { useCaller } from '../../client/caller.ts'
import { useAgents, useRecordings } from '../../client/use-hub.ts'
import { Empty } from '../../hints/empty.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { AgentCard } from './agent-card.tsx'
import { RecordingCard } from './recording-card.tsx'
import { StartRecording } from './start-recording.tsx'

/** Recordings made by users, and the agents that watch traffic. */
export function RecordingsPage() {
  const caller = useCaller()
  const { data: recordings, error } = useRecordings()
  const { data: agents = [] } = useAgents(caller.can('dissection:live'))
  return (
    <main className="snapshots">
      <section className="make" aria-label="New recording">
        <h2>New recording</h2>
        <StartRecording taken={recordings?.map(({ name }) => name) ?? []} />
      </section>
      <section className="made" aria-label="Recordings and network agents">
        {error && <ProblemNote problem={error} />}
        {recordings?.length === 0 && agents.length === 0 && (
          <Empty icon="layers" title="No recordings yet" docs="recordings">
            <p>
              A recording keeps matching traffic from its start to its end, beyond what the recording ring
              holds.
            </p>
            <p>
              None was started. Start one on this page; it begins with the filter of the calls. To send calls
              that match elsewhere, make a network agent in the settings.
            </p>
          </Empty>
        )}
        {recordings?.map((recording) => (
          <RecordingCard key={recording.name} recording={recording} />
        ))}
        {agents.map((agent) => (
          <AgentCard key={agent.name} agent={agent} />
        ))}
      </section>
    </main>
  )
}
