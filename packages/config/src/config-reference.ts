import { configKeys } from './config-keys.ts'
import { configVariables } from './config-sources.ts'

const intro = `# Configuration

Tapdeck is configured by one tree of keys. It is the same in values files, on the command line, and in the values of
the Helm chart. Sources are laid over each other, the later wins:

1. the defaults below
2. values files in YAML: the one named by \`TAPDECK_CONFIG\`, then each \`-f FILE\` in order
3. environment variables: ${Object.entries(configVariables)
  .map(([variable, path]) => `\`${variable}\` (\`${path}\`)`)
  .join(', ')}
4. \`--set key.path=value\` in Helm's notation, repeatable: \`a.b=c,d={x,y},e[0]=z\`, a backslash before a dot or comma
   that is meant literally, \`null\` to go back to the default; \`--set-string\` keeps the value as text
5. \`--host\`, \`--port\`, \`--data\`, \`--interface\`

Objects are merged, lists and single values are replaced. An unknown key or a value that is not accepted stops the
start with the key's path, what was given, where it came from and what is accepted. \`tapdeck config check\` says the
same without starting anything, \`tapdeck config print\` shows the tree that results. Values files are watched while
Tapdeck runs, and a change is checked the same way before it is taken.

Sizes are bytes or Kubernetes quantities (\`500Mi\`, \`1Gi\`); durations are written \`90s\`, \`5m\`, \`1h30m\`, \`2d\`.
`

/** The page \`docs/configuration.md\`, made from the schema. */
export function configReference(): string {
  const rows = configKeys.map(
    ({ path, accepts, default: value, doc }) => `| \`${path}\` | \`${shown(value)}\` | ${accepts} | ${doc} |`,
  )
  return [intro, '| key | default | accepts | meaning |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function shown(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
