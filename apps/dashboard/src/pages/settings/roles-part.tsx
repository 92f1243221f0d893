import { useQuery } from '@tanstack/react-query'
import { capabilities, roles } from '@tapdeck/api/roles'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'

/** Who the caller is, and what each role may do. Roles are changed in the configuration. */
export function RolesPart() {
  const caller = useCaller()
  const { data } = useQuery({
    queryKey: ['roles'],
    queryFn: ({ signal }) => hub.roles(signal),
    enabled: caller.can('access:manage'),
  })
  const further = data?.roles.filter(({ builtin, groups }) => !builtin || groups.length > 0) ?? []
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
      {further.length > 0 && (
        <ul className="settings-list">
          {further.map(({ name, capabilities: held, namespaces, groups, redacted }) => (
            <li key={name}>
              <b>{name}</b>
              <span className="mono soft">{held.join(', ') || 'no capability'}</span>
              {namespaces !== '*' && <span className="badge">only {namespaces.join(', ')}</span>}
              {redacted && <span className="badge warn">redacted</span>}
              {groups.length > 0 && <span className="soft">groups: {groups.join(', ')}</span>}
            </li>
          ))}
        </ul>
      )}
      <p className="soft">
        Built-in roles. Further ones come from <code>tap.auth.roles</code>, groups of users from{' '}
        <code>tap.auth.groupMapping</code>.
      </p>
    </section>
  )
}
