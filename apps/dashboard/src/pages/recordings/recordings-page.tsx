import { useCaller } from '../../client/caller.ts'
import { useAgents, useRecordings } from '../../client/use-hub.ts'
import { Icon } from '../../ui/icon.tsx'
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
          <div className="empty">
            <Icon name="layers" size={22} />
            <h2>No recordings yet</h2>
            <p>A recording keeps matching traffic from its start to its end, beyond what the ring holds.</p>
          </div>
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
