import { capabilities, roles } from '@tapdeck/api/roles'
import { useCaller } from '../../client/caller.ts'

/** Who the caller is, and what each role may do. Roles are changed in the configuration. */
export function RolesPart() {
  const caller = useCaller()
  return (
    <section className="snapshot settings-part" aria-label="Roles">
      <h2>Roles</h2>
      <p>
        You are <b>{caller.name}</b> with the role <b>{caller.role}</b>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="settings-scroll" tabIndex={0} aria-label="Capabilities of the built-in roles">
        <table>
          <thead>
            <tr>
              <th scope="col">capability</th>
              <th scope="col">you</th>
              {Object.keys(roles).map((role) => (
                <th key={role} scope="col">
                  {role}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {capabilities.map((capability) => (
              <tr key={capability}>
                <th scope="row" className="mono">
                  {capability}
                </th>
                <td>{caller.can(capability) ? 'yes' : '–'}</td>
                {Object.entries(roles).map(([role, held]) => (
                  <td key={role}>{(held as readonly string[]).includes(capability) ? 'yes' : '–'}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="soft">
        Built-in roles. Further ones come from <code>tap.auth.roles</code>.{' '}
        <code>tapdeck token create --role ROLE</code>, <code>token list</code> and <code>token revoke</code>{' '}
        manage API tokens on the machine of the hub. Who asked what is in <code>audit/audit.jsonl</code> of
        its data folder.
      </p>
    </section>
  )
}
