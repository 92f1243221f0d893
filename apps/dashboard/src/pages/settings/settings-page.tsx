import { AboutPart } from './about-part.tsx'
import { AgentsPart } from './agents-part.tsx'
import { AuditPart } from './audit-part.tsx'
import { ConfigurationPart } from './configuration-part.tsx'
import { RedactionPart } from './redaction-part.tsx'
import { RolesPart } from './roles-part.tsx'
import { SwitchHistory } from './switch-history.tsx'
import { TargetsPart } from './targets-part.tsx'
import { TokensPart } from './tokens-part.tsx'

/** What can be set while the hub runs, who may do what, and the versions of all parts. */
export function SettingsPage() {
  return (
    <main className="settings">
      <div className="settings-columns">
        <TargetsPart />
        <AgentsPart />
        <TokensPart />
        <RolesPart />
        <RedactionPart />
        <SwitchHistory />
        <AboutPart />
      </div>
      <ConfigurationPart />
      <AuditPart />
    </main>
  )
}
