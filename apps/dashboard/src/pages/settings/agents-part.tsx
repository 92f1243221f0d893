import { useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { useAgents } from '../../client/use-hub.ts'
import { Button } from '../../ui/button.tsx'
import { AgentCard } from '../recordings/agent-card.tsx'
import { AgentForm } from '../recordings/agent-form.tsx'

/** Network agents: makes, edits, tests and deletes them, and shows what each did. */
export function AgentsPart() {
  const caller = useCaller()
  const denied = caller.reasonAgainst('dissection:live')
  const [isMaking, setIsMaking] = useState(false)
  const { data: agents = [] } = useAgents(denied === undefined)
  return (
    <section className="snapshot settings-part" aria-label="Network agents">
      <h2>Network agents</h2>
      <p className="soft">
        An agent watches live calls and acts on those that match a filter. It keeps traffic indexing on.
      </p>
      {denied && <p className="soft">{denied}</p>}
      {agents.map((agent) => (
        <AgentCard key={agent.name} agent={agent} />
      ))}
      <div className="actions settings-actions">
        <Button reason={caller.reasonAgainst('settings:write')} onClick={() => setIsMaking(true)}>
          New agent
        </Button>
      </div>
      {isMaking && <AgentForm onClose={() => setIsMaking(false)} />}
    </section>
  )
}
