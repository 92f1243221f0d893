import { useCaller } from '../../client/caller.ts'
import { useAgents } from '../../client/use-hub.ts'
import { AgentCard } from '../recordings/agent-card.tsx'
import { AboutPart } from './about-part.tsx'
import { RolesPart } from './roles-part.tsx'
import { SwitchHistory } from './switch-history.tsx'
import { TargetsPart } from './targets-part.tsx'

/** What can be set while the hub runs, who may do what, and the versions of all parts. */
export function SettingsPage() {
  const caller = useCaller()
  const denied = caller.reasonAgainst('dissection:live')
  const { data: agents = [] } = useAgents(denied === undefined)
  return (
    <main className="settings">
      <TargetsPart />
      <section className="snapshot settings-part" aria-label="Network agents">
        <h2>Network agents</h2>
        {denied ? (
          <p className="soft">{denied}</p>
        ) : (
          agents.length === 0 && (
            <p className="soft">
              None. An agent watches live calls and acts on those that match a filter:{' '}
              <code>tapdeck agent create NAME --kfl FILTER --log</code>
            </p>
          )
        )}
        {agents.map((agent) => (
          <AgentCard key={agent.name} agent={agent} />
        ))}
      </section>
      <RolesPart />
      <SwitchHistory />
      <AboutPart />
    </main>
  )
}
